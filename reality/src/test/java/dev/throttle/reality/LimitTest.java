package dev.throttle.reality;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LimitTest {

    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);
    private static final Duration HALF_A_MINUTE = Duration.ofSeconds(30);

    @Test
    void theLastWindowOfAJobIsNotWaitedFor() {
        Limit window = Limit.window(100, TEN_SECONDS);
        assertThat(window.ideal(100)).isZero();
        assertThat(window.ideal(101)).isEqualTo(TEN_SECONDS);
        assertThat(window.jobCalls(HALF_A_MINUTE)).isEqualTo(350);
        assertThat(window.ideal(350)).isEqualTo(HALF_A_MINUTE);
        assertThat(window.granted(Duration.ofSeconds(50))).isEqualTo(500);
    }

    @Test
    void aJobIsLongerThanAWindow() {
        Limit minute = Limit.window(100, Duration.ofMinutes(1));
        assertThat(minute.ideal(minute.jobCalls(HALF_A_MINUTE))).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void theBurstOfABucketIsNotWaitedFor() {
        Limit bucket = Limit.bucket(20, 10, Duration.ofSeconds(1));
        assertThat(bucket.ideal(20)).isZero();
        assertThat(bucket.jobCalls(HALF_A_MINUTE)).isEqualTo(320);
        assertThat(bucket.ideal(320)).isEqualTo(HALF_A_MINUTE);
        assertThat(bucket.granted(HALF_A_MINUTE)).isEqualTo(320);
        assertThat(bucket.callsPerSecond()).isEqualTo(10);
    }

    @Test
    void callsAtATimeTakeTurns() {
        Limit four = Limit.concurrency(4, Duration.ofMillis(100));
        assertThat(four.ideal(4)).isEqualTo(Duration.ofMillis(100));
        assertThat(four.ideal(5)).isEqualTo(Duration.ofMillis(200));
        assertThat(four.jobCalls(HALF_A_MINUTE)).isEqualTo(1200);
    }
}
