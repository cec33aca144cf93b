package dev.throttle.okhttp;

import dev.throttle.client.KeyedCall;
import dev.throttle.client.Layer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
    /** The time-out of the current attempt, also for callers that asked for it at the first one. */
    private final ForwardingTimeout timeout;

    /** As the throttle sees this call; null before it is executed, and if it is not throttled. */
    private volatile @Nullable ParkedCall parked;

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
            KeyedCall keyed = factory.config().begin(request(), null);
            return keyed == null
                    ? current.execute()
                    : factory.config().loop().run(keyed, started(new ExecutedCall(factory, this, keyed)));
        } catch (InterruptedException e) {
            throw OkHttpCall.<RuntimeException>rethrown(e);
        } finally {
            ended();
        }
    }

    @Override
    public void enqueue(Callback callback) {
        Objects.requireNonNull(callback, "responseCallback");
        begin();
        KeyedCall keyed;
        try {
            keyed = factory.config().begin(request(), null);
        } catch (IOException e) {
            factory.deliveries().add(() -> {
                ended();
                callback.onFailure(this, e);
            });
            return;
        }
        if (keyed == null) {
            Layer above = factory.config().starter().layerAbove(request());
            if (above != null) {
                CallTag.of(current).sentBy(above);
            }
            factory.pass(this, current, callback);
        } else {
            started(new AsyncRun(factory, this, keyed, callback)).start();
        }
    }

    private void begin() {
        if (!isExecuted.compareAndSet(false, true)) {
            throw new IllegalStateException("Already Executed");
        }
        factory.began(this);
    }

    private <T extends ParkedCall> T started(T call) {
        parked = call;
        if (isCanceled()) {
            call.keyed().cancel();
        }
        return call;
    }

    /** Nothing of the call outlives it. */
    void ended() {
        factory.ended(this);
    }

    /** {@return OkHttp's call for the attempt under way} */
    Call current() {
        return current;
    }

    /** {@return OkHttp's call for the next attempt} */
    Call fresh() {
        if (current.isExecuted()) {
            renew();
        }
        return current;
    }

    /** Makes OkHttp's call for another attempt. A clone has nothing of what was set on its original. */
    private void renew() {
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
        current.cancel(); // before the callback learns of it
        ParkedCall started = parked;
        if (started != null) {
            started.keyed().cancel();
        }
        if (started instanceof AsyncRun run) {
            run.endIfCanceledInLane();
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
