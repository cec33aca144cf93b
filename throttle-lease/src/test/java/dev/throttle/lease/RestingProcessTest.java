package dev.throttle.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** What a process says to the store when it has nothing to do any more, and when something goes wrong meanwhile. */
class RestingProcessTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final List<Told> told = new ArrayList<>();
    private boolean isAway = true;
    private Duration latency = Duration.ofMillis(1);
    private int tellingsThatFail;
    private int questions;
    private long givenBack;
    private int departures;
    private long lastDeparture;

    private record Told(long permits, long at) {}

    private final LeaseSource source = new LeaseSource() {
        @Override
        public CompletionStage<Lease> lease(String key, long least, long wanted) {
            questions++;
            if (isAway) {
                return CompletableFuture.failedFuture(new IllegalStateException("away"));
            }
            CompletableFuture<Lease> answer = new CompletableFuture<>();
            Lease lease = new Lease(wanted, Duration.ZERO, Duration.ZERO, SECOND, 2, "");
            time.schedule(latency.toNanos(), () -> answer.complete(lease));
            return answer;
        }

        @Override
        public void giveBack(String key, Lease lease) {
            givenBack += lease.permits();
        }

        @Override
        public void spent(String key, long permits, int sharers) {
            if (tellingsThatFail > 0) {
                tellingsThatFail--;
                throw new IllegalStateException("not now");
            }
            told.add(new Told(permits, time.nanoTime()));
        }
    };

    private LeasedLimit limit(Executor executor) {
        return LeasedLimit.builder(source, 100, SECOND)
                .expectedProcesses(2)
                .time(time)
                .executor(executor)
                .build();
    }

    private Throttle throttle(Executor executor) {
        return throttle(limit(executor));
    }

    private Throttle throttle(LeasedLimit limit) {
        return Throttle.builder()
                .strategy(Strategies.none())
                .limit(limit)
                .time(time)
                .executor(task -> time.schedule(0, task))
                .maxWait(Duration.ofSeconds(30))
                .build();
    }

    private void later(Runnable task) {
        time.schedule(0, task);
    }

    private void send(Throttle throttle, int count) {
        for (int i = 0; i < count; i++) {
            throttle.acquireAsync().thenAccept(this::depart);
        }
    }

    private void depart(Permit permit) {
        departures++;
        lastDeparture = time.nanoTime();
        permit.complete(Signal.SUCCESS);
    }

    private long toldInAll() {
        return told.stream().mapToLong(Told::permits).sum();
    }

    /** Not with the next lease, when nobody knows any more how long ago it was. */
    @Test
    void whatWasSpentIsToldWhenNobodyHasAnythingToDo() {
        send(throttle(this::later), 20);
        time.advance(Duration.ofSeconds(5));
        assertThat(departures).isEqualTo(20);
        assertThat(toldInAll()).isEqualTo(20);
        assertThat(told.get(told.size() - 1).at() - lastDeparture).isLessThan(250_000_000);
    }

    @Test
    void whatASourceDoesNotTakeIsToldAgain() {
        tellingsThatFail = 3;
        Throttle throttle = throttle(this::later);
        send(throttle, 20);
        time.advance(Duration.ofSeconds(5));
        isAway = false;
        send(throttle, 1);
        time.advance(Duration.ofSeconds(1));
        assertThat(departures).isEqualTo(21);
        assertThat(tellingsThatFail).isZero();
        assertThat(toldInAll()).isEqualTo(20);
    }

    /** Who asked for it has gone; the store is not to take it for spent. */
    @Test
    void aLeaseThatComesWhenNobodyNeedsItGoesBack() {
        isAway = false;
        latency = Duration.ofMillis(400);
        RateController alone =
                (RateController) limit(this::later).newController(ControllerHost.detached(new SplittableRandom(1)));
        alone.prefetch(Cost.NONE, Cost.ONE, time.nanoTime());
        time.advance(Duration.ofMillis(410));
        assertThat(questions).isEqualTo(1);
        assertThat(givenBack).isEqualTo(1);
        assertThat(time.scheduledTasks()).isZero();
    }

    /** Such as: no memory for another thread. */
    @Test
    void anExecutorThatThrowsAnErrorIsAskedAgain() {
        isAway = false;
        int[] errors = {1};
        Throttle throttle = throttle(task -> {
            if (errors[0]-- > 0) {
                throw new OutOfMemoryError("no thread");
            }
            later(task);
        });
        CompletableFuture<Permit> permit = throttle.acquireAsync();
        time.advance(SECOND);
        assertThat(permit).isCompleted();
    }

    @Test
    void whatCameLaterMayLapseEarlier() {
        PermitStock stock = new PermitStock();
        long now = time.nanoTime();
        stock.add(new PermitRun(new Lease(5, Duration.ZERO, Duration.ZERO, SECOND, 1, ""), now, now));
        stock.putBack(1, now - 1, now, 2 * SECOND.toNanos());
        assertThat(stock.size(now + SECOND.toNanos())).isEqualTo(6);
        assertThat(stock.size(now + SECOND.toNanos() + 1)).isEqualTo(1);
    }

    /** The store does not assume that it is used any later. */
    @Test
    void whatComesBackLapsesWhenItWouldHave() {
        PermitStock stock = new PermitStock();
        long now = time.nanoTime();
        long second = SECOND.toNanos();
        stock.add(new PermitRun(new Lease(5, Duration.ZERO, Duration.ZERO, SECOND, 1, "all"), now, now));
        stock.take(5, now + 10);
        stock.putBack(5, now + 10, now + second / 2, second);
        assertThat(stock.size(now + second)).isEqualTo(5);
        List<Lease> lapsed = stock.takeLapsed(now + second + 1);
        assertThat(lapsed).extracting(Lease::permits).containsExactly(5L);
        assertThat(stock.size(now + second + 1)).isZero();
    }

    /** Nobody can use it any more, but a long window need not count it. */
    @Test
    void whatComesBackTooLateGoesToTheStore() {
        PermitStock stock = new PermitStock();
        long now = time.nanoTime();
        stock.add(new PermitRun(new Lease(5, Duration.ZERO, Duration.ZERO, SECOND, 1, "all"), now, now));
        stock.take(2, now);
        assertThat(stock.takeLapsed(now + 2 * SECOND.toNanos()))
                .extracting(Lease::permits)
                .containsExactly(3L);
        stock.putBack(2, now, now + 2 * SECOND.toNanos(), SECOND.toNanos());
        assertThat(stock.takeLapsed(now + 2 * SECOND.toNanos()))
                .extracting(Lease::permits)
                .containsExactly(2L);
    }

    /** A fleet closes the limits that it made, but keeps none of them: that is up to who uses it. */
    @Test
    void aLimitLivesAsLongAsAThrottleThatHasIt() throws InterruptedException {
        LeasedLimit limit = LeasedLimit.builder(source, 100, SECOND).time(time).build();
        WeakReference<LeasedLimit> reference = new WeakReference<>(limit);
        Throttle throttle = throttle(limit);
        limit = null;
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        WeakReference<Object> garbage = new WeakReference<>(new Object(), collected);
        do {
            System.gc();
        } while (collected.remove(10) == null);
        assertThat(garbage.get()).isNull();
        assertThat(reference.get()).isNotNull();
        Reference.reachabilityFence(throttle);
    }
}
