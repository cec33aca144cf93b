package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.signal.Cost;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Who comes first, when anybody may leave. */
class WaiterHeapTest {

    private final WaiterHeap heap = new WaiterHeap.ByTurn() {
        @Override
        long instant(Waiter waiter) {
            return waiter.arrivedAt;
        }
    };

    private static Waiter waiter(long instant, long order) {
        Waiter waiter = new Waiter(new CallState(CallOptions.DEFAULT, instant), Cost.ONE, null, Waiter.NEVER);
        waiter.order = order;
        return waiter;
    }

    @Test
    void whoLeavesIsNotInItAnyMore() {
        Waiter first = waiter(1, 0);
        Waiter second = waiter(2, 0);
        assertThat(heap.contains(first)).isFalse();
        heap.add(first);
        heap.add(second);
        assertThat(heap.contains(first)).isTrue();
        assertThat(heap.size()).isEqualTo(2);
        heap.remove(second);
        assertThat(heap.contains(second)).isFalse();
        assertThat(heap.first()).isSameAs(first);
        heap.remove(first);
        assertThat(heap.contains(first)).isFalse();
        assertThat(heap.first()).isNull();
    }

    @Test
    void ofTheSameInstantTheOrderDecides() {
        List<Waiter> expected = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            expected.add(waiter(7, i));
        }
        for (int i = 0; i < 20; i++) {
            heap.add(expected.get(i * 7 % 20));
        }
        List<Waiter> actual = new ArrayList<>();
        for (Waiter next = heap.first(); next != null; next = heap.first()) {
            actual.add(next);
            heap.remove(next);
        }
        assertThat(actual).isEqualTo(expected);
    }

    /** Around the overflow of the clock, as instants are compared by subtraction. */
    @Test
    void whoeverLeavesTheEarliestOfTheRestIsFirst() {
        SplittableRandom random = new SplittableRandom(5);
        List<Waiter> there = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            if (there.isEmpty() || random.nextInt(5) > 1) {
                Waiter waiter = waiter(Long.MAX_VALUE + random.nextLong(-50, 50), i);
                there.add(waiter);
                heap.add(waiter);
            } else {
                heap.remove(there.remove(random.nextInt(there.size())));
            }
            Waiter earliest = there.stream()
                    .min((a, b) -> a.arrivedAt == b.arrivedAt
                            ? Long.signum(a.order - b.order)
                            : Long.signum(a.arrivedAt - b.arrivedAt))
                    .orElse(null);
            assertThat(heap.first()).isSameAs(earliest);
            assertThat(heap.size()).isEqualTo(there.size());
        }
        List<Waiter> all = new ArrayList<>();
        heap.forEach(all::add);
        assertThat(all).containsExactlyInAnyOrderElementsOf(there);
    }
}
