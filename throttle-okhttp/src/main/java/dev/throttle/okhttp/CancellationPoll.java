package dev.throttle.okhttp;

import dev.throttle.client.KeyedCall;
import dev.throttle.time.TimeSource;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import org.jspecify.annotations.Nullable;

/**
 * Polls whether a call was canceled while it waits for the throttle. Before 5.4.0 OkHttp notifies only the listeners of
 * the client. It polls in real time, because calls are canceled in real time, whatever time source the throttle has.
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
