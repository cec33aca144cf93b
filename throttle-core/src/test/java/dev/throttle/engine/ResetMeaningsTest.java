package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What one response cannot tell, two can. */
class ResetMeaningsTest {

    private static final long START = 1_700_000_000_000L;

    private final ResetMeanings meanings = new ResetMeanings();

    private Duration read(long resetSeconds, long afterMillis) {
        return read(resetSeconds, afterMillis, 150);
    }

    private Duration read(long resetSeconds, long afterMillis, long remaining) {
        Quota quota = quota("calls", resetSeconds, remaining);
        return meanings.apply(new RateHints(null, List.of(quota)), START + afterMillis)
                .quotas()
                .get(0)
                .reset();
    }

    private static Quota quota(String name, long resetSeconds, long remaining) {
        return new Quota(name, 200L, remaining, Duration.ofSeconds(resetSeconds), null, Quota.REQUESTS, null, true);
    }

    @Test
    void aResetThatFallsAThousandTimesTooFastIsToldInMilliseconds() {
        for (int at = 0; at < 1_000; at += 200) {
            assertThat(read(30_000 - at, at)).isEqualTo(Duration.ofSeconds(30_000 - at));
        }
        assertThat(read(29_000, 1_000)).isEqualTo(Duration.ofMillis(29_000));
        assertThat(read(100, 29_900)).isEqualTo(Duration.ofMillis(100));
        assertThat(read(30_000, 30_000)).as("the next window").isEqualTo(Duration.ofSeconds(30));
        assertThat(read(30, 59_970)).as("a small number").isEqualTo(Duration.ofMillis(30));
        assertThat(meanings.explain())
                .containsExactly(
                        "The reset of 'calls' is told in milliseconds, although its number looks like seconds.");
    }

    @Test
    void onePairThatDoesNotFallSoIsEnoughToForgetIt() {
        for (int at = 0; at <= 1_000; at += 200) {
            read(30_000 - at, at);
        }
        assertThat(read(28_999, 1_100)).isEqualTo(Duration.ofSeconds(28_999));
        assertThat(meanings.explain()).isEmpty();
    }

    @Test
    void aResetThatFallsWithTheTimeOrStandsStillIsToldInSeconds() {
        for (int second = 0; second <= 20; second++) {
            assertThat(read(3_000 - second, second * 1_000L)).isEqualTo(Duration.ofSeconds(3_000 - second));
        }
        assertThat(meanings.explain())
                .containsExactly("The reset of 'calls' falls with the time: it is the end of a window.");
        for (int second = 21; second <= 40; second++) {
            assertThat(read(3_600, second * 1_000L, 300)).isEqualTo(Duration.ofSeconds(3_600));
        }
        assertThat(meanings.explain())
                .containsExactly(
                        "The reset of 'calls' stands still: it is the length of a window that rolls, or the time"
                                + " until a bucket is full.");
    }

    @Test
    void aResetThatGrowsMovesWithTheAnswers() {
        for (int second = 0; second <= 10; second++) {
            read(60 + second, second * 1_000L);
        }
        assertThat(meanings.explain())
                .containsExactly("The reset of 'calls' moves ahead with the answers: it is not the end of a window.");
    }

    @Test
    void aWindowThatHasEndedDoesNotMove() {
        for (int second = 0; second <= 60; second++) {
            read(10 - second % 10, second * 1_000L);
        }
        assertThat(meanings.explain())
                .containsExactly("The reset of 'calls' falls with the time: it is the end of a window.");
    }

    @Test
    void fewAnswersOrLittleTimeTeachNothing() {
        for (int at = 0; at <= 3_000; at += 100) {
            read(60 - at / 1_000, at);
        }
        for (int second = 10; second <= 40; second += 10) {
            read(600 - second, second * 1_000L, 300);
        }
        assertThat(meanings.explain()).isEmpty();
    }

    @Test
    void resetsThatWereToldWithTheirUnitTeachNothing() {
        for (int at = 0; at <= 5_000; at += 100) {
            Quota told = new Quota("calls", 200L, 150L, Duration.ofSeconds(30_000 - at), null);
            RateHints hints = new RateHints(null, List.of(told));
            assertThat(meanings.apply(hints, START + at)).isSameAs(hints);
        }
        assertThat(meanings.explain()).as("it falls a thousand times too fast").isEmpty();
    }

    /** Endpoints often have the same headers, a window each. */
    @Test
    void endpointsWithWindowsOfTheirOwnNeverMislead() {
        SplittableRandom random = new SplittableRandom(6);
        for (int key = 0; key < 2_000; key++) {
            ResetMeanings ofKey = new ResetMeanings();
            long window = List.of(60L, 300L, 900L, 3_600L, 86_400L).get(key % 5);
            long gap = 40 + random.nextLong(600);
            long[] phases = random.longs(6, 0, window * 1_000).toArray();
            long[] left = random.longs(6, 100, 200).toArray();
            for (long at = 0; at < 180_000; at += 1 + random.nextLong(2 * gap)) {
                int endpoint = random.nextInt(6);
                long reset = window - (at + phases[endpoint]) / 1_000 % window;
                Quota quota = quota("calls", reset, Math.max(0, left[endpoint]--));
                RateHints hints = new RateHints(null, List.of(quota));
                assertThat(ofKey.apply(hints, START + at)).as("key %d", key).isSameAs(hints);
            }
        }
    }

    @Test
    void resetsOfTwoQuotasUnderOneNameTeachNothing() {
        for (int i = 0; i < 100; i++) {
            long reset = i % 2 == 0 ? 3_000 : 2_600;
            assertThat(read(reset, i * 400L)).isEqualTo(Duration.ofSeconds(reset));
        }
    }

    @Test
    void whatIsNotAmbiguousIsTheSameObject() {
        RateHints hints = new RateHints(null, List.of(new Quota(null, 10L, 9L, Duration.ofSeconds(30), null)));
        assertThat(meanings.apply(hints, START)).isSameAs(hints);
        assertThat(meanings.apply(RateHints.NONE, START)).isSameAs(RateHints.NONE);
    }

    @Test
    void aThrottleGoesByWhatItHasLearned() {
        VirtualTime time = new VirtualTime();
        Throttle throttle =
                Throttle.builder().time(time).executor(Runnable::run).build();
        for (int i = 0; i < 10; i++) {
            throttle.read(answer(30_000 - i * 100));
            time.advance(Duration.ofMillis(100));
        }
        assertThat(throttle.read(answer(29_000)).hints().quotas().get(0).reset())
                .isEqualTo(Duration.ofMillis(29_000));
        assertThat(throttle.explainWait())
                .endsWith(
                        "The reset of the quota is told in milliseconds, although its" + " number looks like seconds.");
    }

    private static ResponseHead answer(long reset) {
        return new ResponseHead() {
            @Override
            public int status() {
                return 200;
            }

            @Override
            public void forEachHeader(HeaderVisitor visitor) {
                visitor.visit("X-RateLimit-Limit", "200");
                visitor.visit("X-RateLimit-Remaining", "150");
                visitor.visit("X-RateLimit-Reset", Long.toString(reset));
            }
        };
    }

    @Test
    void noMoreThanSixteenQuotasAreFollowed() {
        for (int i = 0; i < 1_000; i++) {
            for (int tick = 0; tick <= 5; tick++) {
                Quota quota = quota("q" + i, 9_000 - tick * 200L, 9);
                meanings.apply(new RateHints(null, List.of(quota)), START + tick * 200L);
            }
        }
        assertThat(meanings.explain()).hasSize(16);
    }
}
