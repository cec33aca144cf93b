package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.PriorityPolicy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The order of those who wait. */
class WaitQueueTest {

    private final Outage outage = new Outage(null, () -> false, now -> false, new SplittableRandom(1));
    private final WaitQueue queue = new WaitQueue(
            new Turns(
                    PriorityPolicy.standard(),
                    new ControllerSet(ControllerParts.NONE, PriorityPolicy.standard(), false, outage)),
            new Tenants());

    private static Waiter waiter(long arrivedAt, boolean retry) {
        CallState call = new CallState(CallOptions.DEFAULT, arrivedAt);
        if (retry) {
            call.failed(Outcome.RATE_LIMITED, 429);
        }
        return new Waiter(call, Cost.ONE, null, Waiter.NEVER);
    }

    private Waiter ofRoute(String route) {
        CallState call = new CallState(CallOptions.DEFAULT.route(route), 0);
        call.findRoute();
        Waiter waiter = new Waiter(call, Cost.ONE, null, Waiter.NEVER);
        queue.lineUp(waiter);
        return waiter;
    }

    @Test
    void callsOfARouteAreFoundAndChangeLanesAlone() {
        Waiter core = ofRoute("core");
        Waiter search = ofRoute("search");
        Waiter more = ofRoute("core");
        assertThat(queue.ofRoute("core")).containsExactlyInAnyOrder(core, more);
        queue.changeLanes(queue.ofRoute("core"), waiter -> 1);
        assertThat(queue.choose(0)).hasSize(2);
        assertThat(search.lane).isZero();
        queue.remove(core);
        assertThat(queue.ofRoute("core")).containsExactly(more);
        queue.remove(more);
        assertThat(queue.ofRoute("core")).isEmpty();
        queue.remove(search);
        assertThat(queue.size()).isZero();
    }

    private Waiter ofTenant(String tenant, long lane) {
        CallState call = new CallState(CallOptions.DEFAULT.tenant(tenant), 0);
        Waiter waiter = new Waiter(call, Cost.ONE, null, Waiter.NEVER);
        waiter.lane = lane;
        queue.lineUp(waiter);
        return waiter;
    }

    /** They may need the same limit, although different quotas of the server count them. */
    @Test
    void theFewCallsOfATenantGoBeforeTheManyOfAnotherInAnotherLane() {
        for (int i = 0; i < 20; i++) {
            ofTenant("a", 1);
        }
        Waiter few = ofTenant("b", 2);
        assertThat(queue.choose(0)).extracting(lane -> lane.quotas).containsExactly(2L, 1L);
        queue.remove(few);
        for (int i = 0; i < 20; i++) {
            ofTenant("c", 2);
        }
        assertThat(queue.choose(0)).extracting(lane -> lane.quotas).containsExactly(1L, 2L);
    }

    private List<Long> drain() {
        List<Long> arrivals = new ArrayList<>();
        for (@Nullable Waiter head = queue.head(0); head != null; head = queue.head(0)) {
            queue.remove(head);
            arrivals.add(head.call.arrivedAt());
        }
        assertThat(queue.size()).isZero();
        return arrivals;
    }

    /** One after the other it took 1.3 s for 16,000 of them: quadratic. */
    @Test
    @Timeout(20)
    void refusedCallsMayQueueAgainNewestFirst() {
        int count = 300_000;
        List<Long> expected = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            queue.lineUp(waiter(count - i, true));
            expected.add(i + 1);
        }
        assertThat(drain()).isEqualTo(expected);
    }

    @Test
    void refusedCallsGoFirstByArrivalAndOthersInTheOrderTheyCame() {
        SplittableRandom random = new SplittableRandom(3);
        List<Waiter> retries = new ArrayList<>();
        List<Waiter> others = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            Waiter waiter = waiter(random.nextLong(100), random.nextBoolean());
            queue.lineUp(waiter);
            (waiter.isRetry() ? retries : others).add(waiter);
            if (random.nextInt(4) == 0) {
                List<Waiter> from = random.nextBoolean() && !retries.isEmpty() || others.isEmpty() ? retries : others;
                queue.remove(from.remove(random.nextInt(from.size())));
            }
        }
        List<Long> expected = new ArrayList<>();
        retries.stream().map(waiter -> waiter.call.arrivedAt()).sorted().forEach(expected::add);
        others.forEach(waiter -> expected.add(waiter.call.arrivedAt()));
        assertThat(drain()).isEqualTo(expected);
    }

    private Waiter bounded(long allowedNanos) {
        return new Waiter(new CallState(CallOptions.DEFAULT, 0), Cost.ONE, null, allowedNanos);
    }

    /** It is asked at each answer. */
    @Test
    @Timeout(20)
    void aHastyCallBeforeManyPatientOnesIsFoundWithoutALookAtThem() {
        Waiter hasty = bounded(10);
        queue.lineUp(hasty);
        for (int i = 0; i < 100_000; i++) {
            queue.lineUp(bounded(1_000));
        }
        for (int i = 0; i < 20_000; i++) {
            assertThat(queue.behind(1, 100, lane -> true)).isEmpty();
        }
        assertThat(queue.behind(0, 100, lane -> true)).containsExactly(hasty);
    }

    @Test
    void whoIsHastyAndComesTooLateIsFoundHoweverItIsLookedFor() {
        SplittableRandom random = new SplittableRandom(5);
        for (int hasty = 0; hasty <= 100; hasty += 10) {
            List<Waiter> all = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                Waiter waiter = bounded(random.nextInt(100) < hasty ? 10 : 1_000);
                all.add(waiter);
                queue.lineUp(waiter);
            }
            for (int requests = 0; requests <= 100; requests += 7) {
                List<Waiter> expected = new ArrayList<>(all.subList(requests, 100));
                expected.removeIf(waiter -> waiter.allowedNanos >= 100);
                Collections.reverse(expected);
                List<Waiter> found = new ArrayList<>(queue.behind(requests, 100, lane -> true));
                found.removeIf(waiter -> waiter.allowedNanos >= 100);
                assertThat(found).isEqualTo(expected);
            }
            all.forEach(queue::remove);
        }
    }
}
