package dev.throttle.lab.torture;

import dev.throttle.jdkhttp.ThrottlingHttpClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscribers;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Makes one call with the JDK's client. */
final class JdkCaller implements Caller {

    private final HttpClient client;
    private final CallPlan plan;
    private final HttpRequest request;
    private final AtomicInteger endings = new AtomicInteger();
    private final AtomicInteger handled = new AtomicInteger();
    private volatile boolean isDelivered;
    private volatile boolean isCancelled;
    private volatile @Nullable CompletableFuture<?> future;
    private final AtomicReference<@Nullable InputStream> reading = new AtomicReference<>();

    JdkCaller(HttpClient client, CallPlan plan, String url) {
        this.client = client;
        this.plan = plan;
        this.request = HttpRequest.newBuilder(URI.create(url))
                .version(plan.wire() == Wire.HTTP2_TLS ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1)
                .timeout(plan.timeout())
                .method(plan.isIdempotent() ? "GET" : "POST", body(plan))
                .build();
    }

    private static BodyPublisher body(CallPlan plan) {
        if (plan.bodyBytes() < 0) {
            return BodyPublishers.noBody();
        }
        byte[] content = new byte[plan.bodyBytes()];
        InputStream once = new ByteArrayInputStream(content);
        return plan.isOneShot() ? BodyPublishers.ofInputStream(() -> once) : BodyPublishers.ofByteArray(content);
    }

    @Override
    public void cancel() {
        isCancelled = true;
        CompletableFuture<?> made = future;
        if (made != null) {
            made.cancel(true);
        }
    }

    @Override
    public Ending run() {
        try {
            return plan.reading() == CallPlan.Reading.WHOLE
                    ? exchange(
                            info -> BodySubscribers.mapping(BodySubscribers.ofByteArray(), ByteArrayInputStream::new))
                    : exchange(info -> BodySubscribers.ofInputStream());
        } catch (ExecutionException e) {
            return Ending.thrown(e.getCause() == null ? e : e.getCause());
        } catch (Throwable e) {
            return Ending.thrown(e);
        }
    }

    /** {@return how often the call has ended, or, if that is more, how often its handler was called} */
    @Override
    public int endings() {
        return Math.max(plan.door().isAsync() ? endings.get() : 1, handled.get());
    }

    /**
     * Closes a body over HTTP/2 for whose end its caller waits, if the call timed out while its head came: the JDK's
     * client then sometimes resets the stream and never tells those who read. A bare one does the same.
     */
    @Override
    public boolean letGo(StackTraceElement[] caller) {
        boolean isReading = Arrays.stream(caller)
                .anyMatch(frame -> frame.getClassName().endsWith("ResponseSubscribers$HttpResponseInputStream"));
        InputStream body = plan.wire() == Wire.HTTP2_TLS && plan.meddling() == CallPlan.Meddling.TIME_OUT && isReading
                ? reading.getAndSet(null)
                : null;
        if (body == null) {
            return false;
        }
        try {
            body.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return true;
    }

    /**
     * Cut off over HTTP/1.1, when the body had begun as a stream, and before the caller had it. What has
     * arrived is not read, and so the JDK's client never sees that the connection is closed. A bare one does the same.
     */
    @Override
    public boolean mayKeepItsClient() {
        return plan.wire() != Wire.HTTP2_TLS
                && plan.reading() != CallPlan.Reading.WHOLE
                && handled.get() > 0
                && !isDelivered;
    }

    private <T extends InputStream> Ending exchange(BodyHandler<T> handler)
            throws IOException, InterruptedException, ExecutionException {
        BodyHandler<T> counted = counting(handled, handler);
        HttpResponse<T> response = plan.door().isAsync() ? sendAsync(counted) : send(counted);
        isDelivered = true;
        try (InputStream body = response.body()) {
            reading.set(body);
            long length = response.headers().firstValueAsLong(Servers.LENGTH).orElse(-1);
            return new Reader(plan, this::cancel).read(response.statusCode(), length, body);
        } catch (IOException | RuntimeException e) {
            return new Ending(response.statusCode(), false, true, e);
        }
    }

    /**
     * {@return a handler that leads neither to this caller nor to its client} The JDK's client holds the handlers of
     * some calls as long as it lives itself, and lives as long as a handler leads to it.
     */
    private static <T> BodyHandler<T> counting(AtomicInteger handled, BodyHandler<T> handler) {
        return info -> {
            handled.incrementAndGet();
            return handler.apply(info);
        };
    }

    private <T> HttpResponse<T> send(BodyHandler<T> handler) throws IOException, InterruptedException {
        return client instanceof ThrottlingHttpClient throttling
                ? throttling.send(request, plan.options(), handler)
                : client.send(request, handler);
    }

    private <T> HttpResponse<T> sendAsync(BodyHandler<T> handler) throws InterruptedException, ExecutionException {
        CompletableFuture<HttpResponse<T>> made = client instanceof ThrottlingHttpClient throttling
                ? throttling.sendAsync(request, plan.options(), handler)
                : client.sendAsync(request, handler);
        future = made;
        CompletableFuture<Void> counted = made.handle((response, failure) -> {
            endings.incrementAndGet();
            return null;
        });
        if (isCancelled) {
            made.cancel(true);
        }
        counted.join();
        return made.get();
    }
}
