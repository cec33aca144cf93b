package dev.throttle.lab.watch;

import dev.throttle.internal.DurationText;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Reads one address again and again, and no other: redirects are not followed. */
final class Scraper {

    private static final int MOST_BYTES = 16 << 20;
    private static final int OK = 200;

    private final HttpClient client;
    private final HttpRequest request;
    private final Duration patience;
    private final InstantSource clock;

    Scraper(URI address, InstantSource clock, Duration patience) {
        this.client = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(patience)
                .build();
        this.request = HttpRequest.newBuilder(address)
                .header("Accept", "text/plain;version=0.0.4")
                .build();
        this.clock = clock;
        this.patience = patience;
    }

    /** {@return what the address says now, or why it says nothing} */
    String scrape() throws InterruptedException {
        try {
            HttpResponse<String> response = exchange();
            return response.statusCode() == OK
                    ? Sample.of(clock.millis(), response.body())
                    : Sample.failed(clock.millis(), "it answered " + response.statusCode());
        } catch (TimeoutException e) {
            return failed("no whole answer within " + DurationText.format(patience));
        } catch (ExecutionException e) {
            return failed(message(e.getCause() == null ? e : e.getCause()));
        } catch (RuntimeException e) {
            return failed(message(e)); // a sample that fails ends nothing
        }
    }

    /** The time-out of a request ends when the headers are there; this one is for all of the answer. */
    private HttpResponse<String> exchange() throws InterruptedException, ExecutionException, TimeoutException {
        CompletableFuture<HttpResponse<String>> answer = client.sendAsync(request, head -> new BoundedBody(MOST_BYTES));
        try {
            return answer.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } finally {
            answer.cancel(true); // closes the connection of an answer that has not ended
        }
    }

    private String failed(String why) {
        return Sample.failed(clock.millis(), "it cannot be read: " + why);
    }

    private static String message(Throwable failure) {
        if (failure instanceof ConnectException && failure.getMessage() == null) { // the JDK says no more
            return "nothing listens there";
        }
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    }
}
