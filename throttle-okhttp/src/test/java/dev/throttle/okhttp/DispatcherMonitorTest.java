package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.ThrottleRegistry;
import dev.throttle.testing.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import okhttp3.Call;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.junit.jupiter.api.Test;

/**
 * OkHttp holds the dispatcher's monitor while {@link Dispatcher#cancelAll} calls the listeners of each call, and those
 * may do anything with other calls. Whoever has a lock of ours must not wait for that monitor.
 */
class DispatcherMonitorTest extends LoopbackTest {

    private final ThrottleRegistry still = throttle().time(new VirtualTime()).build();

    @Test
    void aParkedCallIsCanceledUnderTheDispatchersMonitorWhileAnotherTakesASlot() throws Exception {
        answer(request -> status(200));
        Dispatcher dispatcher = new Dispatcher(); // of its own, or a failure would keep the end of the test waiting
        OkHttpClient client = plain().newBuilder().dispatcher(dispatcher).build();
        ThrottlingCallFactory calls = ThrottlingCallFactory.create(client, still);
        Request blocked = getFrom("a.test", "/");
        block(still, keyOf(blocked), Duration.ofMinutes(1));
        Call parked = calls.newCall(blocked);
        Answer canceled = enqueue(parked);
        awaitWaiting(still, keyOf(blocked), 1);

        AtomicReference<Answer> sent = new AtomicReference<>();
        Thread taking = daemon(() -> sent.set(enqueue(calls.newCall(get("/")))));
        CountDownLatch done = new CountDownLatch(1);
        daemon(() -> {
                    synchronized (dispatcher) {
                        taking.start();
                        awaitThat(() -> taking.getState() == Thread.State.BLOCKED);
                        parked.cancel();
                    }
                    done.countDown();
                })
                .start();

        assertThat(done.await(1, TimeUnit.MINUTES)).isTrue();
        taking.join(10_000);
        assertThat(sent.get().await()).isEqualTo(200);
        assertThat(canceled.await()).isInstanceOf(IOException.class);
        assertIdle(still);
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }
}
