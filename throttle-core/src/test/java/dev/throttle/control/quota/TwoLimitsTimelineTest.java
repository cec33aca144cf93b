package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Callers at full speed on a server with two limits, one behind the other, which tell of themselves with the same
 * headers: an accepted request tells of the second one, since that has overwritten what the first one said, and a
 * refusal tells of the one that has refused.
 */
class TwoLimitsTimelineTest {

    private static final Duration STEP = Duration.ofMillis(5);
    private static final long LATENCY = 10_000_000;
    private static final long SECOND = 1_000_000_000;

    private final VirtualTime time = new VirtualTime();
    private final Throttle throttle = Throttle.builder()
            .time(time)
            .executor(Runnable::run)
            .maxWait(Duration.ofHours(1))
            .build();

    private Limit first = new Limit(50, SECOND);
    private Limit second = new Limit(100, 10 * SECOND);
    private boolean tellsWindow;
    private boolean asksToWait = true;

    private final List<Long> refusedAt = new ArrayList<>();
    private int accepted;

    @ParameterizedTest
    @CsvSource({"1, true", "1, false", "8, true", "8, false", "64, true", "64, false"})
    void onlyRequestsThatWereOnTheWireWithTheFirstRefusalAreRefused(int callers, boolean tells) {
        tellsWindow = tells;

        long took = run(callers, 1_000);

        int tries = 1_000 / 350;
        assertThat(refusedAt).hasSizeBetween(1, callers + tries);
        assertThat(refusedAt.stream().filter(at -> at > 10 * SECOND)).hasSizeLessThanOrEqualTo(tries);
        assertThat(took).isLessThan(100 * SECOND); // ten windows, to the last request of the last one
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void aRefusalThatAsksForNothingIsObeyedUntilTheResetThatItTells(int callers) {
        asksToWait = false;
        tellsWindow = true;

        run(callers, 300);

        assertThat(refusedAt).hasSizeBetween(1, callers);
    }

    @ParameterizedTest
    @CsvSource({"1, true", "1, false", "8, true", "8, false"})
    void theSameHoldsForALargerLimitOfALongerWindow(int callers, boolean tells) {
        tellsWindow = tells;
        first = new Limit(90, 60 * SECOND);
        second = new Limit(60, 10 * SECOND);

        long took = run(callers, 900);

        assertThat(refusedAt).hasSizeBetween(1, 2 * callers + 900 / 350); // believed at the second time
        assertThat(took).isLessThan(600 * SECOND);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLimitThatHasChangedIsNoSecondOne(boolean tells) {
        tellsWindow = tells;
        first = new Limit(1_000_000, SECOND);
        run(4, 350);
        assertThat(refusedAt).isEmpty();

        second.size = 50;
        run(4, 30);
        long took = run(4, 400);

        assertThat(took).isLessThan((long) (1.1 * 80 * SECOND));
        assertThat(refusedAt).hasSizeLessThanOrEqualTo(4);
        second.size = 200; // if the smaller one were remembered, no more than 50 would go in a window
        run(4, 200);
        assertThat(run(4, 1_000)).isLessThan((long) (1.1 * 50 * SECOND));
    }

    private long run(int callers, int calls) {
        long began = time.nanoTime();
        int until = accepted + calls;
        List<Caller> all = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            all.add(new Caller());
        }
        while (accepted < until) {
            assertThat(time.nanoTime() - began).isLessThan(1_000 * SECOND);
            all.forEach(Caller::go);
            time.advance(STEP);
        }
        all.forEach(Caller::end);
        return time.nanoTime() - began;
    }

    /** Makes one call after the other. */
    private final class Caller {

        private CompletableFuture<Permit> asked = throttle.acquireAsync();
        private long sentAt = -1;

        void go() {
            long now = time.nanoTime();
            if (sentAt < 0 && asked.isDone()) {
                sentAt = now;
            }
            if (sentAt >= 0 && now - sentAt >= LATENCY) {
                asked.join().complete(throttle.read(answer(now)));
                asked = throttle.acquireAsync();
                sentAt = -1;
            }
        }

        void end() {
            if (!asked.cancel(true)) {
                asked.join().end(Signal.of(Outcome.IGNORED));
            }
        }
    }

    private ResponseHead answer(long now) {
        if (!first.take(now)) {
            refusedAt.add(now);
            return first.head(429, now);
        }
        boolean isAccepted = second.take(now);
        accepted += isAccepted ? 1 : 0;
        if (!isAccepted) {
            refusedAt.add(now);
        }
        return second.head(isAccepted ? 200 : 429, now);
    }

    /** A window that begins with a request. */
    private final class Limit {

        private int size;
        private final long window;
        private long beganAt;
        private int used;

        Limit(int size, long window) {
            this.size = size;
            this.window = window;
            this.beganAt = -window;
        }

        boolean take(long now) {
            if (now - beganAt >= window) {
                beganAt = now;
                used = 0;
            }
            used++;
            return used <= size;
        }

        ResponseHead head(int status, long now) {
            long reset = (beganAt + window - now + SECOND - 1) / SECOND;
            int left = Math.max(0, size - used);
            return new ResponseHead() {
                @Override
                public int status() {
                    return status;
                }

                @Override
                public void forEachHeader(HeaderVisitor visitor) {
                    visitor.visit("RateLimit-Limit", Integer.toString(size));
                    visitor.visit("RateLimit-Remaining", Integer.toString(left));
                    visitor.visit("RateLimit-Reset", Long.toString(reset));
                    if (tellsWindow) {
                        visitor.visit("RateLimit-Policy", size + ";w=" + window / SECOND);
                    }
                    if (status == 429 && asksToWait) {
                        visitor.visit("Retry-After", Long.toString(reset));
                    }
                }
            };
        }
    }
}
