package dev.throttle.control.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.internal.Nanos;
import dev.throttle.signal.Cost;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What is owed to a bucket or a spacing, to the nanosecond, when permits come back and when settings change. */
class GcraTest {

    private static final long SECOND = 1_000_000_000;
    /** Far from zero, as any clock may be. */
    private static final long START = -7 * SECOND;

    private static final Rate ONE_A_SECOND = new Rate(1, Duration.ofSeconds(1));
    private static final Rate THREE_A_SECOND = new Rate(3, Duration.ofSeconds(1));

    private static Gcra taken(Rate rate, long permits) {
        Gcra gcra = new Gcra(rate);
        gcra.take(permits, START);
        return gcra;
    }

    private static Gcra resumed(Gcra before, Rate rate, long stock, long stockBefore, long now) {
        Gcra gcra = new Gcra(rate);
        gcra.resume(before, stock, stockBefore, now);
        return gcra;
    }

    private static void assertSame(Gcra one, Gcra other, long now) {
        for (long permits = -60; permits < 10; permits++) {
            long expected = Math.max(0, other.waitNanos(permits, now));
            assertThat(Math.max(0, one.waitNanos(permits, now)))
                    .as("wait for %d permits", permits)
                    .isEqualTo(expected);
        }
        assertThat(one.permits(now)).isEqualTo(other.permits(now));
    }

    private static Rate rate(SplittableRandom random) {
        return new Rate(random.nextInt(1, 12), Duration.ofNanos(random.nextInt(12, 1000)));
    }

    @Test
    void aDebtThatNoClockCanHoldIsTheLongestThereIs() {
        Gcra yearly = new Gcra(new Rate(1, Duration.ofDays(366)));
        assertThat(yearly.waitNanos(Cost.MAX_AMOUNT, START)).isEqualTo(Nanos.MAX);
        yearly.take(Cost.MAX_AMOUNT, START);
        yearly.take(1, START);
        assertThat(yearly.waitNanos(0, START)).isEqualTo(Nanos.MAX);
        assertThat(yearly.waitNanos(0, START + SECOND)).isEqualTo(Nanos.MAX - SECOND);
        assertThat(yearly.permits(START))
                .isEqualTo(Nanos.MAX / Duration.ofDays(366).toNanos() + 1);
    }

    @Test
    void aPermitIsOwedUntilAllOfItHasDrippedIn() {
        Gcra gcra = taken(THREE_A_SECOND, 2);
        assertThat(gcra.permits(START)).isEqualTo(2);
        assertThat(gcra.permits(START + 333_333_333)).isEqualTo(2);
        assertThat(gcra.permits(START + 333_333_334)).isEqualTo(1);
        assertThat(gcra.permits(START + 666_666_666)).isEqualTo(1); // two thirds of a nanosecond are missing
        assertThat(gcra.permits(START + 666_666_667)).isZero();
        assertThat(new Gcra(THREE_A_SECOND).permits(START)).isZero();
    }

    @Test
    void aPermitThatComesBackWasNeverTaken() {
        for (int seed = 0; seed < 500; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Rate rate = rate(random);
            long permits = random.nextInt(1, 30);
            long back = random.nextInt(1, 10);
            long later = START + random.nextInt(100);
            Gcra gcra = taken(rate, permits);
            gcra.take(back, later);
            gcra.release(back, later, later);
            assertSame(gcra, taken(rate, permits), later);
        }
    }

    @Test
    void whatComesBackFromBeforeABucketBecameSmallerWasNeverTaken() {
        for (int seed = 0; seed < 2000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Rate rate = rate(random);
            long stock = random.nextInt(1, 20);
            long back = random.nextInt(1, 30);
            long permits = back + random.nextInt(1, 30);
            long change = START + random.nextInt(100);
            long later = change + random.nextInt(100);
            Gcra gcra = resumed(taken(rate, permits), rate, stock, 100, change);
            gcra.release(back, START, later);
            Gcra never = resumed(taken(rate, permits - back), rate, stock, 100, change);
            assertSame(gcra, never, later);
            if (gcra.waitNanos(0, later) > 0) { // and in a bucket that is as large again
                assertSame(resumed(gcra, rate, 100, stock, later), resumed(never, rate, 100, stock, later), later);
            }
        }
    }

    @Test
    void whatComesBackFromAfterABucketBecameSmallerWasNeverTaken() {
        for (int seed = 0; seed < 500; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Rate rate = rate(random);
            long stock = random.nextInt(2, 20);
            long permits = random.nextInt(1, 60);
            long change = START + random.nextInt(100);
            long later = change + random.nextInt(1, 50);
            long back = random.nextInt(1, 10);
            Gcra gcra = resumed(taken(rate, permits), rate, stock, 100, change);
            gcra.take(back, later);
            gcra.release(back, later, later);
            Gcra never = resumed(taken(rate, permits), rate, stock, 100, change);
            assertSame(gcra, never, later);
            assertSame(resumed(gcra, rate, 100, stock, later), resumed(never, rate, 100, stock, later), later);
        }
    }

    @Test
    void aBucketThatShrinksAndGrowsAgainOwesWhatItOwed() {
        for (int seed = 0; seed < 500; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Rate rate = rate(random);
            long permits = random.nextInt(1, 100);
            long stock = random.nextInt(1, 99);
            long change = START + random.nextInt(1000);
            Gcra gcra = resumed(taken(rate, permits), rate, stock, 100, change);
            assertThat(gcra.permits(change)).isLessThanOrEqualTo(stock);
            assertSame(resumed(gcra, rate, 100, stock, change), taken(rate, permits), change);
        }
    }

    /** Half a second after it was empty, 2.5 of the three were gone: so much would have dripped in for nothing. */
    @Test
    void whatDrippedInMeanwhileDoesNotComeBackASecondTime() {
        Gcra gcra = taken(ONE_A_SECOND, 3);
        long later = START + SECOND * 5 / 2;
        gcra.take(1, later);
        assertThat(gcra.waitNanos(0, later)).isEqualTo(SECOND * 3 / 2);
        gcra.release(3, START, later);
        assertThat(gcra.waitNanos(0, later)).isEqualTo(SECOND);
    }

    @Test
    void norDoesItWithASecondPermit() {
        Gcra gcra = taken(ONE_A_SECOND, 3);
        gcra.take(3, START);
        long later = START + SECOND * 11 / 2;
        gcra.take(1, later);
        gcra.release(3, START, later);
        assertThat(gcra.waitNanos(0, later)).isEqualTo(SECOND);
        gcra.release(3, START, later);
        assertThat(gcra.waitNanos(0, later)).isEqualTo(SECOND);
    }

    @Test
    void aPermitInBetweenThatComesBackIsAllowedForByTheNext() {
        Gcra gcra = taken(ONE_A_SECOND, 5);
        gcra.take(1, START + SECOND);
        gcra.take(1, START + SECOND * 3 / 2);
        long later = START + 2 * SECOND;
        assertThat(gcra.waitNanos(0, later)).isEqualTo(5 * SECOND);
        gcra.release(1, START + SECOND, later);
        assertThat(gcra.waitNanos(0, later)).isEqualTo(4 * SECOND);
        gcra.release(5, START, later); // the third would have gone when nothing was owed: half of it still is
        assertThat(gcra.waitNanos(0, later)).isBetween(SECOND / 2, SECOND / 2 + 2);
    }

    @Test
    void whatDrippedInBeforeAChangeOfRateDoesNotComeBackEither() {
        Gcra gcra = taken(new Rate(1, Duration.ofSeconds(10)), 1);
        long later = START + 9 * SECOND;
        gcra.take(1, later);
        Gcra faster = resumed(gcra, ONE_A_SECOND, 2, 2, later);
        assertThat(faster.waitNanos(0, later)).isEqualTo(SECOND * 11 / 10);
        faster.release(1, START, later);
        assertThat(faster.waitNanos(0, later)).isEqualTo(SECOND);
    }

    /** However many admissions there were: of the oldest only details are forgotten, and never in anybody's favor. */
    @Test
    void ofManyAdmissionsTheLatestAreRememberedExactly() {
        Gcra gcra = new Gcra(ONE_A_SECOND);
        long now = START;
        for (int i = 0; i < 20; i++) {
            gcra.take(1, now);
            now += SECOND * 99 / 100;
        }
        long large = now;
        gcra.take(5, large);
        now += gcra.waitNanos(-1, now);
        for (int i = 0; i < 21; i++) {
            gcra.take(1, now);
        }
        assertThat(gcra.waitNanos(0, now)).isEqualTo(22 * SECOND);
        gcra.release(1, START, now); // a hundredth of it is missing, which is not known any more
        assertThat(gcra.waitNanos(0, now)).isEqualTo(22 * SECOND);
        gcra.release(5, large, now);
        assertThat(gcra.waitNanos(0, now)).isEqualTo(21 * SECOND);
    }
}
