package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.signal.Outcome;
import dev.throttle.testing.VirtualTime;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A week of a thousand keys: the monotonic clock overflows in its middle, the wall clock is set by hours either way,
 * and keys come and go. The last day is like the first.
 */
class LongTimeTest {

    private static final int DAYS = 7;
    private static final int KEYS = 1_000;
    private static final int KEPT = 300;
    private static final int CALLS_OF_A_DAY = 40_000;
    private static final long QUOTA = 60;
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration WINDOW = Duration.ofHours(1);
    private static final long EPOCH_MILLIS = 1_700_000_000_000L;

    private static final DateTimeFormatter HTTP_DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
            .withZone(ZoneOffset.UTC);

    private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - DAY.toNanos() * DAYS / 2, EPOCH_MILLIS);
    private final SetClock clock = new SetClock(time);
    private final SplittableRandom random = new SplittableRandom(1);
    private final ThrottleRegistry throttles = ThrottleRegistry.builder()
            .time(clock)
            .executor(Runnable::run)
            .seed(1)
            .maxKeys(KEPT)
            .idleExpiry(Duration.ofMinutes(30))
            .maxWait(Duration.ofHours(2))
            .build();
    private final long[] windows = new long[KEYS];
    private final long[] used = new long[KEYS];

    /** A wall clock that somebody sets. */
    private static final class SetClock implements TimeSource {

        private final TimeSource time;
        private long offMillis;

        SetClock(TimeSource time) {
            this.time = time;
        }

        @Override
        public long nanoTime() {
            return time.nanoTime();
        }

        @Override
        public long currentTimeMillis() {
            return time.currentTimeMillis() + offMillis;
        }

        @Override
        public void parkUntil(Object blocker, long instant) {
            time.parkUntil(blocker, instant);
        }

        @Override
        public ScheduledTask schedule(long delayNanos, Runnable task) {
            return time.schedule(delayNanos, task);
        }
    }

    /** What a day was like. */
    private record Day(long calls, long refused, long waitedSeconds, int mostKeys, int mostTasks) {}

    @Tag("slow")
    @Test
    void theLastDayIsLikeTheFirst() {
        Day first = day();
        assertThat(first.waitedSeconds()).isPositive();
        assertThat(first.mostKeys()).isBetween(KEPT, KEYS - 1);
        Day last = first;
        for (int i = 1; i < DAYS; i++) {
            last = day();
            assertThat(last.refused())
                    .as("refused on day %s", i)
                    .isLessThanOrEqualTo(first.refused() + CALLS_OF_A_DAY / 1000);
            assertThat((double) last.mostKeys()).as("keys on day %s", i).isLessThanOrEqualTo(first.mostKeys() * 1.1);
        }
        assertThat(last.calls()).isEqualTo(first.calls());
        assertThat((double) last.waitedSeconds()).isLessThanOrEqualTo(first.waitedSeconds() * 1.25 + 60);
        assertThat(last.mostTasks()).isLessThanOrEqualTo(Math.max(first.mostTasks(), KEYS));
        assertThat(time.nanoTime()).as("the clock has overflowed").isNegative();

        time.advance(DAY);
        throttles.get("visitor");
        time.advance(DAY);
        throttles.get("visitor");
        assertThat(throttles.all()).hasSizeLessThan(10);
        assertThat(time.scheduledTasks()).isLessThan(10);
    }

    private Day day() {
        long refused = 0;
        long begin = time.nanoTime();
        long waited = 0;
        int mostKeys = 0;
        int mostTasks = 0;
        long apart = DAY.toNanos() / CALLS_OF_A_DAY;
        for (int i = 0; i < CALLS_OF_A_DAY; i++) {
            long due = begin + i * apart;
            if (due - time.nanoTime() > 0) {
                time.advanceNanos(due - time.nanoTime());
            }
            if (i % (CALLS_OF_A_DAY / 5) == 0) {
                clock.offMillis = Duration.ofMinutes(random.nextInt(-300, 301)).toMillis();
            }
            // A few keys are busy, most are hardly ever used.
            int key = random.nextInt(10) < 3 ? random.nextInt(5) : random.nextInt(KEYS);
            long asked = time.nanoTime();
            Permit permit = time.await(throttles.get("k" + key).acquireAsync());
            waited += (time.nanoTime() - asked) / 1_000_000_000;
            refused += answer(key, permit) ? 1 : 0;
            mostKeys = Math.max(mostKeys, i % 100 == 0 ? throttles.all().size() : 0);
            mostTasks = Math.max(mostTasks, time.scheduledTasks());
        }
        return new Day(CALLS_OF_A_DAY, refused, waited, mostKeys, mostTasks);
    }

    /** A quota by the hour; {@return whether it was spent} */
    private boolean answer(int key, Permit permit) {
        long now = time.currentTimeMillis();
        long window = now / WINDOW.toMillis();
        if (windows[key] != window) {
            windows[key] = window;
            used[key] = 0;
        }
        boolean isSpent = used[key] >= QUOTA;
        used[key] += isSpent ? 0 : 1;
        long resetAt = (window + 1) * WINDOW.toSeconds();
        permit.end(throttles
                .get("k" + key)
                .read(Heads.status(
                        isSpent ? 429 : 200,
                        "Date",
                        HTTP_DATE.format(Instant.ofEpochMilli(now)),
                        "X-RateLimit-Limit",
                        String.valueOf(QUOTA),
                        "X-RateLimit-Remaining",
                        String.valueOf(QUOTA - used[key]),
                        "X-RateLimit-Reset",
                        String.valueOf(resetAt))));
        return isSpent;
    }

    @Test
    void aCallThatWaitsWhileTheClockOverflowsGoesWhenItIsDue() {
        time.advance(DAY.multipliedBy(DAYS).dividedBy(2).minusSeconds(5));
        Throttle throttle = throttles.get("k");
        Calls.of(throttle).newCall().acquireForced().complete(Heads.status(429, "Retry-After", "10"));
        long begin = time.nanoTime();
        Permit permit = time.await(throttle.acquireAsync());
        assertThat(time.nanoTime()).isNegative();
        assertThat(Duration.ofNanos(time.nanoTime() - begin)).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(60));
        permit.complete(Heads.status(200));
        assertThat(throttle.snapshot().outcomes().get(Outcome.RATE_LIMITED)).isEqualTo(1);
    }
}
