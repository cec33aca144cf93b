package dev.throttle.lease.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When it is known how far away a store is. */
class StoreClockTest {

    private static final long MILLI = 1_000_000;

    private final StoreClock clock = new StoreClock("Redis");
    private long now;

    /** Answers that take so many milliseconds, so many after one another; the store's clock is ahead by some. */
    private void answers(int count, long way, long apart, long aheadMillis) {
        for (int i = 0; i < count; i++) {
            now += apart * MILLI;
            clock.read((now - way * MILLI / 2) / 1000 + aheadMillis * 1000, now - way * MILLI, now);
        }
    }

    @Test
    void itIsSettledAfterTenAnswers() {
        assertThat(clock.isSettled()).isFalse();
        answers(9, 80, 100, 0);
        assertThat(clock.isSettled()).isFalse();
        answers(1, 80, 100, 0);
        assertThat(clock.isSettled()).isTrue();
        answers(100, 80, 100, 0);
        assertThat(clock.isSettled()).isTrue();
    }

    /** All of them may be slow for the same reason. */
    @Test
    void answersThatComeTogetherCountAsOne() {
        answers(1, 80, 100, 0);
        answers(99, 80, 1, 0);
        assertThat(clock.isSettled()).isFalse();
        answers(9, 80, 100, 0);
        assertThat(clock.isSettled()).isTrue();
    }

    @Test
    void afterAJumpItIsNotSettled() {
        answers(10, 2, 100, 0);
        answers(1, 80, 100, 1000);
        assertThat(clock.isSettled()).isFalse();
        assertThat(clock.widthMicros(now)).isBetween(80_000L, 80_010L);
        answers(9, 2, 100, 1000);
        assertThat(clock.isSettled()).isTrue();
        assertThat(clock.widthMicros(now)).isBetween(2_000L, 2_200L);
    }
}
