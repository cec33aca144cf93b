package dev.throttle.examples;

import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import dev.throttle.resilience4j.Guards;
import dev.throttle.retry.RetryPolicy;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/**
 * A circuit breaker for each host, beside the throttle: while a host is down, its calls fail at once and tell when to
 * come back. A quota refusal does not trip the breaker: that is the throttle's business.
 */
public final class CircuitBreakerExample {

    private CircuitBreakerExample() {}

    /**
     * Calls an API until its breaker opens.
     *
     * @param args the API's address; by default one at which no server listens
     * @throws Exception if interrupted
     */
    public static void main(String[] args) throws Exception {
        System.out.println(run(URI.create(args.length > 0 ? args[0] : "http://127.0.0.1:1/")));
    }

    static String run(URI api) throws InterruptedException {
        CircuitBreakerRegistry breakers = CircuitBreakerRegistry.of(CircuitBreakerConfig.custom()
                .slidingWindowSize(20)
                .minimumNumberOfCalls(5)
                .failureRateThreshold(50)
                .waitDurationInOpenState(Duration.ofSeconds(30))
                .permittedNumberOfCallsInHalfOpenState(3)
                .build());
        ThrottleRegistry throttles = ThrottleRegistry.builder()
                .retryPolicy(RetryPolicy.none()) // to see each fault; with retries, none follows the opening
                .guardPerKey(Guards.circuitBreakers(breakers))
                .build();
        HttpClient client = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                .throttles(throttles)
                .build();
        HttpRequest request = HttpRequest.newBuilder(api).build();
        int faults = 0;
        while (faults < 10) {
            try {
                return "answered with "
                        + client.send(request, BodyHandlers.ofString()).statusCode();
            } catch (ThrottleRejectedException rejection) {
                return "after " + faults + " faults: " + rejection.reason() + ", come back in "
                        + rejection.neededWait().toSeconds() + " s";
            } catch (IOException e) {
                faults++;
            }
        }
        return faults + " faults, and the breaker is closed";
    }
}
