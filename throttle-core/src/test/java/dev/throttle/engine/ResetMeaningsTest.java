package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What one response cannot tell, two can. */
class ResetMeaningsTest {

    private static final long START = 1_700_000_000_000L;

    private final ResetMeanings meanings = new ResetMeanings();

    private Duration read(long resetSeconds, long afterMillis) {
        Quota quota = new Quota("calls", 200L, 150L, Duration.ofSeconds(resetSeconds), null);
        return meanings.apply(new RateHints(null, List.of(quota)), START + afterMillis)
                .quotas()
                .get(0)
                .reset();
    }

    @Test
    void aResetThatFallsAThousandTimesTooFastIsToldInMilliseconds() {
        assertThat(read(30_000, 0)).isEqualTo(Duration.ofSeconds(30_000));
        assertThat(read(29_900, 100)).isEqualTo(Duration.ofSeconds(29_900));
        assertThat(read(29_800, 200)).isEqualTo(Duration.ofMillis(29_800));
        assertThat(read(100, 29_900)).isEqualTo(Duration.ofMillis(100));
        assertThat(read(30_000, 30_000)).as("the next window").isEqualTo(Duration.ofSeconds(30));
        assertThat(meanings.explain())
                .containsExactly(
                        "The reset of 'calls' is told in milliseconds, although its number looks like seconds.");
    }

    @Test
    void aResetThatFallsWithTheTimeIsToldInSeconds() {
        for (int second = 0; second <= 20; second++) {
            assertThat(read(3_000 - second, second * 1_000L)).isEqualTo(Duration.ofSeconds(3_000 - second));
        }
        assertThat(meanings.explain()).containsExactly("The reset of 'calls' is told in seconds.");
    }

    @Test
    void aResetThatStandsStillRollsAndOneThatRisesMoves() {
        for (int second = 0; second <= 20; second++) {
            assertThat(read(3_600, second * 1_000L)).isEqualTo(Duration.ofSeconds(3_600));
        }
        assertThat(meanings.explain()).containsExactly("The reset of 'calls' is always as far away: the quota rolls.");
        for (int i = 1; i <= 4; i++) {
            read(3_600 + i * 5, 20_000 + i * 3_000L);
        }
        assertThat(meanings.explain())
                .containsExactly("The reset of 'calls' is later with each answer: the window moves.");
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
        for (int i = 0; i < 3; i++) {
            throttle.read(answer(30_000 - i * 100));
            time.advance(Duration.ofMillis(100));
        }
        assertThat(throttle.read(answer(29_700)).hints().quotas().get(0).reset())
                .isEqualTo(Duration.ofMillis(29_700));
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
            for (int tick = 0; tick < 3; tick++) {
                Quota quota = new Quota("q" + i, 10L, 9L, Duration.ofSeconds(9_000 - tick * 100L), null);
                meanings.apply(new RateHints(null, List.of(quota)), START + tick * 100L);
            }
        }
        assertThat(meanings.explain()).hasSize(16);
    }
}
