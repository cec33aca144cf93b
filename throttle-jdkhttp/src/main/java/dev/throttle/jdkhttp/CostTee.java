package dev.throttle.jdkhttp;

import dev.throttle.internal.Faults;
import dev.throttle.signal.usage.BodyReport;
import dev.throttle.signal.usage.BodyTail;
import dev.throttle.time.TimeSource;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a body on its way to the caller's subscriber, for what its end tells about the cost of the call. That is
 * reported once: when the body has ended, has failed, or is given up before.
 */
final class CostTee<T> implements BodySubscriber<T> {

    private static final Faults FAULTS = new Faults("reporting the cost of a call");
    private static final int OK = 200;
    private static final int FIRST_REDIRECT = 300;

    private final BodySubscriber<T> target;
    private final BodyTail tail;
    private final TimeSource time;
    /** Null once it has been told, as it leads to the call, and the wrapped client may hold on to this subscriber. */
    private @Nullable Consumer<BodyReport> reports;

    private final AtomicBoolean isReported = new AtomicBoolean();

    private CostTee(BodySubscriber<T> target, BodyTail tail, TimeSource time, Consumer<BodyReport> reports) {
        this.target = target;
        this.tail = tail;
        this.time = time;
        this.reports = reports;
    }

    /**
     * {@return a subscriber that listens on behalf of another; that other one if there is nothing to hear}
     *
     * @param target the caller's
     * @param info status and headers of the response
     * @param time the time
     * @param reports hears what the body tells, if it tells anything; must not block
     */
    static <T> BodySubscriber<T> listen(
            BodySubscriber<T> target, ResponseInfo info, TimeSource time, Consumer<BodyReport> reports) {
        if (info.statusCode() < OK || info.statusCode() >= FIRST_REDIRECT) {
            return target;
        }
        BodyTail tail = BodyTail.of(info.headers().firstValue("Content-Type").orElse(null), encoding(info));
        return tail == null ? target : new CostTee<>(target, tail, time, reports);
    }

    /** What is packed more than once is not unpacked here. */
    private static @Nullable String encoding(ResponseInfo info) {
        List<String> codings = info.headers().allValues("Content-Encoding");
        return codings.isEmpty() ? null : String.join(",", codings);
    }

    @Override
    public CompletionStage<T> getBody() {
        return target.getBody();
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        target.onSubscribe(new Subscription() {
            @Override
            public void request(long n) {
                subscription.request(n);
            }

            @Override
            public void cancel() {
                subscription.cancel();
                report();
            }
        });
    }

    /** Before the caller's subscriber has read the buffers. */
    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            tail.accept(buffer);
        }
        target.onNext(buffers);
    }

    @Override
    public void onError(Throwable thrown) {
        report();
        target.onError(thrown);
    }

    @Override
    public void onComplete() {
        report();
        target.onComplete();
    }

    private void report() {
        if (!isReported.compareAndSet(false, true)) {
            return;
        }
        Consumer<BodyReport> listener = reports;
        reports = null;
        try {
            BodyReport report = tail.finish(time.currentTimeMillis());
            if (listener != null && !report.isEmpty()) {
                listener.accept(report);
            }
        } catch (Throwable e) {
            FAULTS.report(e);
        }
    }
}
