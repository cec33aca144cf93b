package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.Priority;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The callers of one class, and what they will take together. */
class WaitLineTest {

    private final WaitLine line = new WaitLine(Priority.NORMAL, new Tenants());

    private long made;

    private Waiter waiter(long arrivedAt, Outcome last, Cost cost) {
        CallState call = new CallState(CallOptions.DEFAULT, arrivedAt);
        if (last != Outcome.SUCCESS) {
            call.failed(last, 429);
        }
        Waiter waiter = new Waiter(call, cost, null, Waiter.NEVER);
        waiter.order = made++;
        return waiter;
    }

    private Waiter newcomer(Cost cost) {
        return waiter(0, Outcome.SUCCESS, cost);
    }

    private Waiter retry(long arrivedAt, Cost cost) {
        return waiter(arrivedAt, Outcome.RATE_LIMITED, cost);
    }

    @Test
    void whoTriesAgainGoesBeforeNewcomersAndTheOldestFirst() {
        Waiter first = newcomer(Cost.ONE);
        Waiter second = newcomer(Cost.ONE);
        Waiter late = retry(9, Cost.ONE);
        Waiter early = retry(3, Cost.ONE);
        for (Waiter waiter : List.of(first, second, late, early)) {
            line.add(waiter);
        }
        assertThat(line.oldestNewcomer()).isSameAs(first);
        List<Waiter> order = new ArrayList<>();
        while (!line.isEmpty()) {
            Waiter next = line.first();
            order.add(next);
            line.remove(next);
        }
        assertThat(order).containsExactly(early, late, first, second);
        assertThat(line.oldestNewcomer()).isNull();
    }

    @Test
    void whoLeavesFromTheMiddleOrTheEndLeavesNoGap() {
        Waiter a = newcomer(Cost.ONE);
        Waiter b = newcomer(Cost.ONE);
        Waiter c = newcomer(Cost.ONE);
        Waiter d = newcomer(Cost.ONE);
        List.of(a, b, c).forEach(line::add);
        line.remove(b);
        line.remove(c);
        line.add(d);
        assertThat(line.first()).isSameAs(a);
        line.remove(a);
        assertThat(line.first()).isSameAs(d);
    }

    @Test
    void whatTheyTakeIsTheSumOfThoseWhoAreThere() {
        Waiter newcomer = newcomer(Cost.of("tokens", 100));
        Waiter retry = retry(1, Cost.of("tokens", 20));
        line.add(newcomer);
        line.add(retry);
        assertThat(line.cost()).isEqualTo(Cost.requests(2).and("tokens", 120));
        line.remove(newcomer);
        assertThat(line.cost()).isEqualTo(Cost.of("tokens", 20));
        line.remove(retry);
        assertThat(line.cost()).isEqualTo(Cost.NONE);
    }

    @Test
    void aRevisionReachesEverybodyAndIsReckonedWith() {
        line.add(newcomer(Cost.of("tokens", 100)));
        line.add(newcomer(Cost.of("tokens", 100)));
        line.add(retry(1, Cost.of("tokens", 100)));
        line.add(retry(2, Cost.of("tokens", 100)));
        List<Waiter> revised = new ArrayList<>();
        line.revise(waiter -> {
            waiter.revise(50, Waiter.NEVER, Cost.of("tokens", 7), false);
            revised.add(waiter);
        });
        assertThat(revised).hasSize(4).doesNotHaveDuplicates();
        assertThat(line.cost()).isEqualTo(Cost.requests(4).and("tokens", 28));
    }

    @Test
    void anyOfManyWhoTryAgainCanLeave() {
        List<Waiter> waiters = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Waiter waiter = retry((i * 37) % 100, Cost.ONE);
            waiters.add(waiter);
            line.add(waiter);
        }
        for (int i = 0; i < 100; i += 3) {
            line.remove(waiters.get(i));
        }
        List<Long> expected = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            if (i % 3 != 0) {
                expected.add(waiters.get(i).call.arrivedAt());
            }
        }
        expected.sort(null);
        List<Long> actual = new ArrayList<>();
        while (!line.isEmpty()) {
            Waiter next = line.first();
            actual.add(next.call.arrivedAt());
            line.remove(next);
        }
        assertThat(actual).isEqualTo(expected);
    }
}
