package dev.throttle.okhttp;

import dev.throttle.client.KeyedCall;
import dev.throttle.time.TimeSource;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import org.jspecify.annotations.Nullable;

/**
 * Asks a call again and again whether it was canceled, for as long as it waits for the throttle: before 5.4.0 OkHttp
 * tells nobody but listeners of the client. In real time, as that is when calls are canceled, whatever time the
 * throttle lives by.
 */
final class CancellationPoll implements AutoCloseable {

    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Call call;
    private final KeyedCall keyed;
    private volatile boolean isOver;
    private volatile TimeSource.@Nullable ScheduledTask next;

    private CancellationPoll(Call call, KeyedCall keyed) {
        this.call = call;
        this.keyed = keyed;
    }

    /** {@return the poll of a call that is about to wait; null if the call tells by itself} */
    static @Nullable CancellationPoll of(Call call, KeyedCall keyed) {
        if (OkHttpVersion.tellsOfCancellation()) {
            return null;
        }
        CancellationPoll poll = new CancellationPoll(call, keyed);
        poll.ask();
        return poll;
    }

    private void ask() {
        if (isOver) {
            return;
        }
        if (call.isCanceled()) {
            keyed.cancel();
        } else {
            next = TimeSource.system().schedule(PERIOD_NANOS, this::ask);
        }
    }

    @Override
    public void close() {
        isOver = true;
        TimeSource.ScheduledTask task = next;
        if (task != null) {
            task.cancel(); // one that is scheduled at this instant sees that it is over
        }
    }
}
