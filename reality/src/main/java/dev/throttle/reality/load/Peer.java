package dev.throttle.reality.load;

import dev.throttle.signal.HintReader;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What programs do without Throttle: a loop of attempts around the JDK's client. The wait after a failed attempt is
 * random, up to a bound that doubles from 200 ms to a minute; {@code Retry-After} comes on top.
 */
abstract class Peer implements LoadClient {

    private static final int ATTEMPTS = 9;
    private static final double BASE_SECONDS = 0.2;
    private static final double CAP_SECONDS = 60;
    private static final Set<Integer> REPEATED = Set.of(429, 502, 503, 504);

    private final HttpRequest request;
    private final HttpClient client;

    Peer(URI uri, Wire wire) {
        request = HttpRequest.newBuilder(uri).build();
        client = new WireHttpClient(wire);
    }

    /** Waits until an attempt may go. */
    abstract void admit() throws InterruptedException;

    /** Learns of an answer. */
    void answered(int status, RateHints hints) {}

    @Override
    public final int call() throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            admit();
            RateHints hints = RateHints.NONE;
            try {
                HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
                hints = HintReader.standard().read(head(response), System.currentTimeMillis());
                answered(response.statusCode(), hints);
                if (!REPEATED.contains(response.statusCode()) || attempt == ATTEMPTS) {
                    return response.statusCode();
                }
            } catch (IOException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
            TimeUnit.NANOSECONDS.sleep(delayNanos(attempt, hints.retryAfter()));
        }
    }

    private static ResponseHead head(HttpResponse<?> response) {
        return new ResponseHead() {
            @Override
            public int status() {
                return response.statusCode();
            }

            @Override
            public void forEachHeader(HeaderVisitor visitor) {
                response.headers().map().forEach((name, values) -> values.forEach(value -> visitor.visit(name, value)));
            }
        };
    }

    private static long delayNanos(int attempt, @Nullable Duration retryAfter) {
        double doubled = Math.min(CAP_SECONDS, BASE_SECONDS * Math.scalb(1.0, attempt - 1));
        long asked = retryAfter == null ? 0 : retryAfter.toNanos();
        double most = retryAfter == null ? doubled : BASE_SECONDS;
        return asked + (long) (ThreadLocalRandom.current().nextDouble() * most * 1e9);
    }
}
