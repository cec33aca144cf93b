package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A server that says anything at all: its own key may suffer, for as long as it says so, but no other, and what is kept
 * of it stays small.
 */
class HostileServerTest {

    private static final int POLICIES = 1_000_000;
    private static final long MOST_BYTES = 16L << 20;

    private final VirtualTime time = new VirtualTime(1_000_000_000L, 1_700_000_000_000L);
    private final ThrottleRegistry throttles = ThrottleRegistry.builder()
            .time(time)
            .executor(Runnable::run)
            .seed(1)
            .build();

    private void answer(Throttle throttle, ResponseHead head) {
        Calls.of(throttle).newCall().acquireForced().complete(head);
    }

    @ParameterizedTest
    @EnumSource
    void theOtherKeysAreNotAffected(Hostility hostility) {
        Throttle hostile = throttles.get("hostile");
        Throttle other = throttles.get("other");
        Random random = new Random(1);
        for (int i = 0; i < hostility.responses(); i++) {
            answer(hostile, hostility.answer(i, random));
            time.advanceNanos(10_000_000);
            if (i % 50 == 0) {
                Permit permit = other.tryAcquire();
                assertThat(permit).as("other key after %s responses", i).isNotNull();
                permit.complete(Heads.status(200));
            }
        }
        assertThat(hostile.snapshot().quotas()).hasSizeLessThanOrEqualTo(64);
        assertThat(hostile.snapshot().inFlight()).isZero();
        assertThat(throttles.all()).hasSize(2);
        assertThat(time.scheduledTasks()).isLessThanOrEqualTo(2);
    }

    /** It may be a long time, but it is told, and it ends. */
    @ParameterizedTest
    @EnumSource
    void theKeyItselfGoesOnWhenItsServerComesToItsSenses(Hostility hostility) {
        Throttle hostile = throttles.get("hostile");
        Random random = new Random(1);
        for (int i = 0; i < 100; i++) {
            answer(hostile, hostility.answer(i, random));
        }
        time.advance(Duration.ofDays(400));
        for (int i = 0; i < 20; i++) {
            Permit permit = time.await(Calls.of(hostile)
                    .newCall(CallOptions.DEFAULT.maxWait(Duration.ofMinutes(5)))
                    .acquireAsync());
            permit.complete(Heads.status(200));
        }
    }

    @Tag("slow")
    @Test
    void aMillionPoliciesLeaveNothingBehind() {
        Throttle hostile = throttles.get("hostile");
        for (int i = 0; i < 1_000; i++) {
            answer(hostile, Hostility.policy(i));
        }
        long before = usedHeap();
        for (int i = 0; i < POLICIES; i++) {
            answer(hostile, Hostility.policy(i));
            time.advanceNanos(1_000_000);
        }
        assertThat(usedHeap() - before).isLessThan(MOST_BYTES);
        assertThat(hostile.snapshot().quotas()).hasSizeLessThanOrEqualTo(64);
    }

    private static long usedHeap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
