package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.throttle.client.Calls;
import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/**
 * Prints what the answers of a hostile server cost, beside those of an ordinary one. Runs only if asked for by name.
 */
class HostileFigures {

    private static final int ROUNDS = 7;
    private static final int WARM_UP = 3;
    private static final int ORDINARY = 20_000;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Of one response, and what is left of all. */
    private record Cost(double cpuMicros, double allocated, long kept) {}

    @Test
    void print() {
        System.out.printf(
                "%-28s %10s %14s %14s %12s%n", "server", "responses", "CPU us each", "bytes each", "kept bytes");
        print("ordinary, with a quota", ORDINARY, HostileFigures::ordinary);
        for (Hostility hostility : Hostility.values()) {
            Random random = new Random(1);
            print(hostility.name(), hostility.responses(), number -> hostility.answer(number, random));
        }
    }

    private static void print(String name, int responses, IntFunction<ResponseHead> server) {
        ResponseHead[] heads = new ResponseHead[responses];
        Arrays.setAll(heads, server);
        Cost[] costs = new Cost[ROUNDS];
        for (int round = 0; round < WARM_UP + ROUNDS; round++) {
            costs[Math.max(0, round - WARM_UP)] = cost(heads);
        }
        System.out.printf(
                Locale.ROOT,
                "%-28s %10d %14.2f %14.0f %12d%n",
                name,
                responses,
                Arrays.stream(costs).mapToDouble(Cost::cpuMicros).sorted().toArray()[ROUNDS / 2],
                costs[ROUNDS - 1].allocated(),
                costs[ROUNDS - 1].kept());
    }

    private static Cost cost(ResponseHead[] heads) {
        VirtualTime time = new VirtualTime(1_000_000_000L, 1_700_000_000_000L);
        ThrottleRegistry throttles = ThrottleRegistry.builder()
                .time(time)
                .executor(Runnable::run)
                .seed(1)
                .build();
        Throttle throttle = throttles.get("hostile");
        long heap = usedHeap();
        long allocated = THREADS.getCurrentThreadAllocatedBytes();
        long cpu = THREADS.getCurrentThreadCpuTime();
        for (ResponseHead head : heads) {
            Calls.of(throttle).newCall().acquireForced().complete(head);
            time.advanceNanos(10_000_000);
        }
        cpu = THREADS.getCurrentThreadCpuTime() - cpu;
        allocated = THREADS.getCurrentThreadAllocatedBytes() - allocated;
        long kept = usedHeap() - heap;
        assertThat(throttles.all()).hasSize(1);
        return new Cost(cpu / 1e3 / heads.length, (double) allocated / heads.length, kept);
    }

    private static ResponseHead ordinary(int number) {
        return Heads.status(
                200,
                "X-RateLimit-Limit",
                "5000",
                "X-RateLimit-Remaining",
                String.valueOf(5_000 - number % 5_000),
                "X-RateLimit-Reset",
                String.valueOf(3_600 - number % 3_600));
    }

    private static long usedHeap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
