package dev.throttle.spring;

import dev.throttle.client.BodyCosts;
import dev.throttle.internal.CallbackPool;
import dev.throttle.signal.BodyClassifier;
import dev.throttle.time.TimeSource;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.web.reactive.function.client.ClientResponse;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;

/**
 * Reads the beginning of a body ahead, and keeps it for the reader of the body. Afterwards everything passes through,
 * at the pace of the reader.
 */
final class BodyPeek extends BaseSubscriber<DataBuffer> {

    private final Context context;
    private final Sinks.Many<DataBuffer> passed = Sinks.many().unicast().onBackpressureBuffer();
    private final ByteArrayOutputStream start = new ByteArrayOutputStream();
    private final AtomicBoolean isSeen = new AtomicBoolean();
    private volatile @Nullable Flux<DataBuffer> source;
    private volatile @Nullable Consumer<byte[]> listener;
    private volatile TimeSource.@Nullable ScheduledTask limit;

    BodyPeek(Context context) {
        this.context = context;
    }

    /** {@return the body for the reader; nothing is read before {@link #start}} */
    Flux<DataBuffer> begin(Flux<DataBuffer> body) {
        source = body;
        return passed.asFlux()
                .doOnRequest(this::request)
                .doOnCancel(this::cancel)
                .doOnDiscard(DataBuffer.class, DataBufferUtils::release);
    }

    /**
     * Looks, until enough has come, the body ends, or the time is up.
     *
     * @param then called once with the beginning of the body
     */
    void start(TimeSource time, long nanos, Consumer<byte[]> then) {
        listener = then;
        // Not on the timer's thread, since the listener may continue with the caller's code.
        limit = time.schedule(nanos, () -> CallbackPool.shared().execute(this::seen));
        Flux<DataBuffer> body = source;
        if (body == null) {
            seen();
        } else {
            body.subscribe(this);
        }
    }

    private void seen() {
        Consumer<byte[]> told = listener;
        if (told != null && isSeen.compareAndSet(false, true)) {
            TimeSource.ScheduledTask alarm = limit;
            if (alarm != null) {
                alarm.cancel();
            }
            told.accept(kept());
        }
    }

    private byte[] kept() {
        synchronized (start) {
            return start.toByteArray();
        }
    }

    /** Cancels the body and releases what has arrived of it. */
    void giveUp() {
        cancel();
        TimeSource.ScheduledTask alarm = limit;
        if (alarm != null) {
            alarm.cancel();
        }
        passed.tryEmitComplete();
        passed.asFlux().subscribe(DataBufferUtils::release, alreadyRead -> {});
    }

    @Override
    public Context currentContext() {
        return context;
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
        subscription.request(1);
    }

    @Override
    protected void hookOnNext(DataBuffer buffer) {
        boolean isEnough = isSeen.get() || keep(buffer);
        if (passed.tryEmitNext(buffer).isFailure()) {
            DataBufferUtils.release(buffer);
        }
        if (isEnough) {
            seen();
        } else {
            request(1);
        }
    }

    private boolean keep(DataBuffer buffer) {
        synchronized (start) {
            byte[] bytes = new byte[Math.min(buffer.readableByteCount(), BodyClassifier.MAX_BYTES - start.size())];
            int position = buffer.readPosition();
            buffer.read(bytes).readPosition(position);
            start.writeBytes(bytes);
            return start.size() >= BodyClassifier.MAX_BYTES;
        }
    }

    @Override
    protected void hookOnComplete() {
        seen();
        passed.tryEmitComplete();
    }

    @Override
    protected void hookOnError(Throwable failure) {
        seen();
        passed.tryEmitError(failure);
    }

    /** {@return a response whose body is looked at on its way, for what its end tells about the cost of the call} */
    static ClientResponse listen(ClientResponse response, BodyCosts costs) {
        return response.mutate()
                .body(body -> body.doOnNext(buffer -> look(buffer, costs))
                        .doOnTerminate(costs::end)
                        .doOnCancel(costs::end))
                .build();
    }

    private static void look(DataBuffer buffer, BodyCosts costs) {
        try (DataBuffer.ByteBufferIterator parts = buffer.readableByteBuffers()) {
            while (parts.hasNext()) {
                ByteBuffer part = parts.next();
                costs.accept(part);
            }
        }
    }
}
