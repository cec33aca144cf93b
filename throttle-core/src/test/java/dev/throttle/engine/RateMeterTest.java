package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.testing.VirtualTime;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The meter against a plain list of admissions. */
class RateMeterTest {

    private static final long SLOT = 200_000_000;
    private static final long SHORT_SLOT = 10_000_000;

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 5_000_000_000L, -3_000_000_000L})
    void countsTheRunningSlotsAndThoseBefore(long origin) {
        SplittableRandom random = new SplittableRandom(7);
        InFlightCounter traffic = new InFlightCounter(origin);
        Deque<Long> admissions = new ArrayDeque<>();
        long elapsed = 0;
        for (int i = 0; i < 20_000; i++) {
            elapsed += random.nextInt(10) == 0 ? random.nextLong(3 * SLOT) : random.nextLong(SLOT / 20);
            if (random.nextInt(500) == 0) {
                elapsed += random.nextLong(30_000_000_000L);
            }
            assertThat(traffic.tryAdmit(origin + elapsed)).isTrue();
            admissions.addLast(elapsed);
            long now = elapsed;
            long runningSlot = now / SLOT;
            long second = admissions.stream()
                    .filter(at -> at / SHORT_SLOT > now / SHORT_SLOT - 100)
                    .count();
            long tenSeconds = admissions.stream()
                    .filter(at -> at / SLOT > runningSlot - 50)
                    .count();
            assertThat(traffic.perSecond(origin + elapsed)).isEqualTo(second);
            assertThat(traffic.inTenSeconds(origin + elapsed)).isEqualTo(tenSeconds);
            while (!admissions.isEmpty() && admissions.peekFirst() / SLOT < runningSlot - 60) {
                admissions.removeFirst();
            }
        }
    }

    /** It used to read 80 to 99, as its second was one of 0.8 to 1.0 s. */
    @Test
    void aSteadyRateIsReadAsItIs() {
        InFlightCounter traffic = new InFlightCounter(0);
        for (long now = 0; now < 5_000_000_000L; now += 10_000_000) {
            traffic.tryAdmit(now);
            if (now >= 1_000_000_000) {
                assertThat(traffic.perSecond(now)).isEqualTo(100);
                assertThat(traffic.perSecond(now + 5_000_000)).isEqualTo(100);
            }
        }
    }

    @Test
    void theRateFallsToZeroWhenNothingHappensAnyMore() {
        InFlightCounter traffic = new InFlightCounter(0);
        for (int i = 0; i < 10; i++) {
            traffic.tryAdmit(i);
        }
        assertThat(traffic.perSecond(SLOT)).isEqualTo(10);
        assertThat(traffic.perSecond(5 * SLOT - 1)).isEqualTo(10);
        assertThat(traffic.perSecond(5 * SLOT)).isZero();
        assertThat(traffic.inTenSeconds(50 * SLOT - 1)).isEqualTo(10);
        assertThat(traffic.inTenSeconds(50 * SLOT)).isZero();
    }

    @Test
    void aCountThatRunsOverItsBitsGoesOn() {
        RateMeter meter = new RateMeter(0, 8);
        long count = 0;
        for (int slot = 1; slot <= 100; slot++) {
            count += 100;
            meter.roll(slot * SLOT, count & 0xFF);
            assertThat(meter.extend(count & 0xFF)).isEqualTo(count);
        }
    }

    @Test
    void aThreadThatWasOvertakenDoesNotMakeTheCountJump() {
        RateMeter meter = new RateMeter(0, 38);
        meter.roll(SLOT, 1_000);
        assertThat(meter.extend(998)).isEqualTo(998);
        meter.roll(2 * SLOT, 998);
        assertThat(meter.extend(1_001)).isEqualTo(1_001);
        assertThat(meter.perSecond(2 * SLOT, 1_001)).isEqualTo(1_001);
    }

    @Test
    void aCountReadBeforeTheMeterRolledOnIsExtendedBackwards() {
        long now = new VirtualTime().nanoTime();
        RateMeter meter = new RateMeter(now, 8);
        meter.roll(now + 200_000_000L, 125);
        meter.roll(now + 400_000_000L, 250);
        assertThat(meter.extend(250)).isEqualTo(250);
        assertThat(meter.extend(248)).isEqualTo(248);
        assertThat(meter.extend(4)).isEqualTo(260);
        meter.roll(now + 600_000_000L, 4);
        meter.roll(now + 800_000_000L, 2);
        assertThat(meter.extend(2)).isEqualTo(258);
        assertThat(meter.extend(4)).isEqualTo(260);
        assertThat(meter.perSecond(now + 800_000_000L, 4)).isEqualTo(260);
    }
}
