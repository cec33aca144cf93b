package dev.throttle.okhttp;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    private volatile @Nullable Journey journey;
    private volatile @Nullable AsyncRun run;

    /** Guarded by itself. */
    private final List<EventListener> listeners = new ArrayList<>();

    private final Map<Object, Consumer<Call>> tags = new ConcurrentHashMap<>();

    ThrottlingCall(ThrottlingCallFactory factory, Call first) {
        this.factory = factory;
        this.first = first;
        this.current = first;
    }

    @Override
    public Request request() {
        return first.request();
    }

    @Override
    public Response execute() throws IOException {
        Journey started = begin();
        if (started == null) {
            return current.execute();
        }
        try {
            while (true) {
                factory.parked(1);
                try {
                    BlockingWait.acquire(started, factory.config());
                } finally {
                    factory.parked(-1);
                }
                Response response = attempt(started, attempt(started));
                if (response != null) {
                    return response;
                }
                renew();
            }
        } finally {
            started.release();
            factory.ended(this);
        }
    }

    /** {@return the response; null if there is to be another attempt} */
    private static @Nullable Response attempt(Journey started, Call attempt) throws IOException {
        Response response;
        try {
            response = attempt.execute();
        } catch (IOException e) {
            if (started.isToBeRepeated()) {
                return null;
            }
            throw e;
        }
        if (!started.isToBeRepeated()) {
            return response;
        }
        response.close();
        return null;
    }

    @Override
    public void enqueue(Callback callback) {
        Journey started = begin();
        if (started == null) {
            factory.pass(this, current, callback);
            return;
        }
        AsyncRun asynchronous = new AsyncRun(factory, this, started, callback);
        run = asynchronous;
        asynchronous.start();
    }

    /** {@return the journey; null if the request is not throttled} */
    private @Nullable Journey begin() {
        if (!isExecuted.compareAndSet(false, true)) {
            throw new IllegalStateException("Already Executed");
        }
        Journey started = Journey.of(factory.config(), request(), true);
        if (started != null) {
            journey = started;
            factory.began(this);
            if (isCanceled()) {
                started.cancel();
            }
        }
        return started;
    }

    /** {@return OkHttp's call for an attempt that has its permits} */
    Call attempt(Journey started) {
        Call attempt = current;
        CallTag.of(attempt).add(started);
        started.handOver();
        return attempt;
    }

    /** Makes OkHttp's call for another attempt. A clone has nothing of what was set on its original. */
    void renew() {
        Call next = first.clone();
        Timeout timeout = first.timeout();
        next.timeout().timeout(timeout.timeoutNanos(), TimeUnit.NANOSECONDS);
        if (timeout.hasDeadline()) {
            next.timeout().deadlineNanoTime(timeout.deadlineNanoTime());
        }
        synchronized (listeners) {
            listeners.forEach(next::addEventListener);
            current = next;
        }
        tags.values().forEach(tag -> tag.accept(next));
        if (isCanceled) {
            next.cancel();
        }
    }

    @Override
    public void cancel() {
        isCanceled = true;
        Journey started = journey;
        if (started != null) {
            started.cancel();
        }
        current.cancel();
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
        return first.timeout();
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
