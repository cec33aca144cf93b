package dev.throttle.okhttp;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import kotlin.jvm.functions.Function0;
import kotlin.reflect.KClass;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.EventListener;
import okhttp3.Request;
import okhttp3.Response;
import okio.ForwardingTimeout;
import okio.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * A call of a {@link ThrottlingCallFactory}. Each attempt is a call of OkHttp's of its own, since such a call can be
 * made only once; what the user has set on this call is carried from one to the next.
 */
final class ThrottlingCall implements Call {

    private final ThrottlingCallFactory factory;
    private final AtomicBoolean isExecuted = new AtomicBoolean();
    private final Call first;
    private volatile Call current;
    private volatile boolean isCanceled;
    /** Always that of the current attempt, also for those who asked for it at the first. */
    private final ForwardingTimeout timeout;

    private volatile @Nullable OkHttpCall throttled;
    private volatile @Nullable AsyncRun run;

    /** Guarded by itself. */
    private final List<EventListener> listeners = new ArrayList<>();

    private final Map<Object, Consumer<Call>> tags = new ConcurrentHashMap<>();

    ThrottlingCall(ThrottlingCallFactory factory, Call first) {
        this.factory = factory;
        this.first = first;
        this.current = first;
        this.timeout = new ForwardingTimeout(first.timeout());
    }

    @Override
    public Request request() {
        return first.request();
    }

    @Override
    public Response execute() throws IOException {
        begin();
        try {
            OkHttpCall started = throttled();
            return started == null ? current.execute() : attempts(started);
        } finally {
            ended();
        }
    }

    private Response attempts(OkHttpCall started) throws IOException {
        while (true) {
            park(started);
            started.handOver();
            Call attempt = attempt(started);
            Response response;
            try {
                response = attempt.execute();
            } catch (IOException e) {
                if (isToBeRepeated(started, attempt)) {
                    renew();
                    continue;
                }
                throw e;
            }
            if (!started.isToBeRepeated()) {
                return response;
            }
            response.close();
            if (attempt.isCanceled()) {
                throw OkHttpCall.asIOException(new CancellationException());
            }
            renew();
        }
    }

    private void park(OkHttpCall started) throws IOException {
        factory.parked(1);
        try {
            started.acquire();
        } catch (IOException e) {
            fail(started, e);
            throw e;
        } finally {
            factory.parked(-1);
        }
    }

    /** {@return whether there is to be another attempt; what was canceled, even by the dispatcher, has its end} */
    static boolean isToBeRepeated(OkHttpCall started, Call attempt) {
        return started.isToBeRepeated() && !attempt.isCanceled();
    }

    @Override
    public void enqueue(Callback callback) {
        Objects.requireNonNull(callback, "responseCallback");
        begin();
        OkHttpCall started;
        try {
            started = throttled();
        } catch (IOException e) {
            factory.deliveries().add(() -> {
                ended();
                callback.onFailure(this, e);
            });
            return;
        }
        if (started == null) {
            factory.pass(this, current, callback);
            return;
        }
        AsyncRun asynchronous = new AsyncRun(factory, this, started, callback);
        run = asynchronous;
        asynchronous.start();
    }

    private void begin() {
        if (!isExecuted.compareAndSet(false, true)) {
            throw new IllegalStateException("Already Executed");
        }
        factory.began(this);
    }

    /** {@return this call as the throttle sees it; null if the request is not throttled} */
    private @Nullable OkHttpCall throttled() throws IOException {
        OkHttpCall started = OkHttpCall.of(factory.config(), request(), true);
        if (started != null) {
            throttled = started;
            if (isCanceled()) {
                started.keyed().cancel();
            }
        }
        return started;
    }

    /** Nothing of the call outlives it. */
    void ended() {
        OkHttpCall started = throttled;
        if (started != null) {
            started.keyed().attempt().abandon();
            started.keyed().release();
        }
        factory.ended(this);
    }

    /** {@return OkHttp's call for an attempt that has its permits} */
    Call attempt(OkHttpCall started) {
        Call attempt = current;
        CallTag.of(attempt).add(started);
        return attempt;
    }

    /**
     * Ends the attempt that is not sent as OkHttp ends one that fails, so that its listeners hear of it. On the calling
     * thread, as it takes no slot.
     */
    void fail(OkHttpCall started, IOException failure) {
        Call attempt = current;
        if (attempt.isExecuted()) {
            return;
        }
        started.fail(failure);
        try (Response response = attempt(started).execute()) {
            throw new IllegalStateException("a call that failed was sent: " + response);
        } catch (IOException e) {
            // The failure, as it was meant.
        }
    }

    /** Makes OkHttp's call for another attempt. A clone has nothing of what was set on its original. */
    void renew() {
        Call next = first.clone();
        Timeout old = current.timeout();
        next.timeout().timeout(old.timeoutNanos(), TimeUnit.NANOSECONDS);
        if (old.hasDeadline()) {
            next.timeout().deadlineNanoTime(old.deadlineNanoTime());
        }
        synchronized (listeners) {
            listeners.forEach(listener -> next.addEventListener(listener)); // linked when there is one, with OkHttp 5
            current = next;
        }
        timeout.setDelegate(next.timeout());
        tags.values().forEach(tag -> tag.accept(next));
        if (isCanceled) {
            next.cancel();
        }
    }

    @Override
    public void cancel() {
        isCanceled = true;
        current.cancel(); // before anybody is told what comes of it
        OkHttpCall started = throttled;
        if (started != null) {
            started.keyed().cancel();
        }
        AsyncRun asynchronous = run;
        if (asynchronous != null) {
            asynchronous.endIfCanceledInLane();
        }
    }

    @Override
    public boolean isExecuted() {
        return isExecuted.get();
    }

    @Override
    public boolean isCanceled() {
        return isCanceled || current.isCanceled();
    }

    @Override
    public Timeout timeout() {
        return timeout;
    }

    @Override
    public void addEventListener(EventListener eventListener) {
        synchronized (listeners) {
            listeners.add(eventListener);
            current.addEventListener(eventListener);
        }
    }

    @Override
    public <T> @Nullable T tag(KClass<T> type) {
        return current.tag(type);
    }

    @Override
    public <T> @Nullable T tag(Class<? extends T> type) {
        return current.tag(type);
    }

    @Override
    public <T> T tag(KClass<T> type, Function0<? extends T> computeIfAbsent) {
        T tag = current.tag(type, computeIfAbsent);
        carry(type, call -> call.tag(type, () -> tag));
        return tag;
    }

    @Override
    public <T> T tag(Class<T> type, Function0<? extends T> computeIfAbsent) {
        T tag = current.tag(type, computeIfAbsent);
        carry(type, call -> call.tag(type, () -> tag));
        return tag;
    }

    private void carry(Object type, Consumer<Call> tag) {
        tags.put(type, tag);
        tag.accept(current); // which may have become another one meanwhile
    }

    @Override
    @SuppressWarnings("MethodDoesntCallSuperMethod")
    public Call clone() {
        return factory.newCall(request());
    }

    @Override
    public String toString() {
        return "ThrottlingCall[" + request().method() + " " + request().url().redact() + "]";
    }
}
