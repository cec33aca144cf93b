package dev.throttle.examples;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.control.Strategies;
import dev.throttle.resilience4j.Guards;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A bulkhead beside the throttle: however slow a server is, and however long calls wait for its quota, no more than so
 * many of the program's calls are taken up by it. Who finds no place is told so at once; who gives up leaves his place
 * to the next.
 */
public final class BulkheadExample {

    private BulkheadExample() {}

    /**
     * Starts more calls than there are places.
     *
     * @param args not used
     */
    public static void main(String[] args) {
        System.out.println(run());
    }

    static String run() {
        Bulkhead bulkhead = Bulkhead.of(
                "reports", BulkheadConfig.custom().maxConcurrentCalls(10).build());
        Throttle throttle = Throttle.builder()
                .limit(Strategies.tokenBucket()
                        .rate(50, Duration.ofSeconds(1))
                        .burst(5)
                        .build())
                .guard(Guards.bulkhead(bulkhead))
                .build();
        CompletableFuture<String> slowServer = new CompletableFuture<>();
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            calls.add(throttle.executeAsync(slowServer::copy));
        }
        calls.get(0).cancel(true); // its place is free at once
        calls.add(throttle.executeAsync(slowServer::copy));
        slowServer.complete("report");
        int answered = 0;
        int refused = 0;
        int cancelled = 0;
        for (CompletableFuture<String> call : calls) {
            try {
                call.join();
                answered++;
            } catch (CompletionException e) {
                refused += e.getCause() instanceof ThrottleRejectedException ? 1 : 0;
            } catch (CancellationException e) {
                cancelled++;
            }
        }
        return answered + " answered, " + refused + " refused, " + cancelled + " cancelled; "
                + bulkhead.getMetrics().getAvailableConcurrentCalls() + " places free";
    }
}
