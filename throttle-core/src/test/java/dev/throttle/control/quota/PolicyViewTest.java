package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static dev.throttle.control.quota.Moment.sentAt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.signal.Quota;
import java.time.Duration;
import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which law decides for a policy. */
class PolicyViewTest {

    private static final Offset<Double> ALMOST = within(1e-8);

    private final PacingSettings settings = new PacingSettings(0.1, 0.2, 120, 120, nanos(5), 0);
    private final Sharers sharers = new Sharers();
    private final PolicyView view = new PolicyView(settings, new Tuning(), sharers, () -> 0);

    private static Quota quota(long count, @Nullable Double reset) {
        return new Quota("a", null, count, reset == null ? null : Duration.ofNanos(nanos(reset)), null);
    }

    @BeforeEach
    void begin() {
        view.begin(quota(0, null));
    }

    private void read(double at, long count, @Nullable Double reset) {
        view.ended(1);
        view.read(quota(count, reset), false, null, sentAt(at), 0, nanos(at));
    }

    private double due(double at, int ahead) {
        return Moment.seconds(view.dueNanos(ahead, 1, 0, nanos(at)));
    }

    @Test
    void itIsOfItsNameAndPartition() {
        Quota part = new Quota("a", null, 1L, null, null, Quota.REQUESTS, "part");
        assertThat(view.isOf(quota(1, null))).isTrue();
        assertThat(view.isOf(part)).isFalse();
        assertThat(view.isOf(new Quota("b", null, 1L, null, null))).isFalse();
        view.begin(part);
        assertThat(view.isOf(part)).isTrue();
        PolicyView unused = new PolicyView(settings, new Tuning(), sharers, () -> 0);
        assertThat(unused.isUsed()).isFalse();
        assertThat(unused.isOf(new Quota(null, null, 1L, null, null))).isFalse();
        assertThat(unused.explains(100)).isFalse();
    }

    @Test
    void silenceIsCountedUntilItIsForgotten() {
        for (int i = 1; i <= 16; i++) {
            view.missing(true);
            assertThat(view.unseen()).isEqualTo(i);
            assertThat(view.isUsed()).isTrue();
        }
        read(0, 5, null);
        assertThat(view.unseen()).isZero();
        for (int i = 1; i <= 17; i++) {
            view.missing(true);
        }
        assertThat(view.isUsed()).isFalse();
    }

    @Test
    void answersOfOtherCallsMakeItOldButAreNoSilence() {
        for (int i = 1; i <= 100; i++) {
            view.missing(false);
            assertThat(view.unseen()).isEqualTo(i);
        }
        assertThat(view.isUsed()).isTrue();
    }

    @Test
    void withAResetTheWindowDecides() {
        read(0, 100, 60.0);
        assertThat(view.isWindow()).isTrue();
        assertThat(due(0, 90)).isEqualTo(3, ALMOST); // 9 are left after it
        assertThat(view.interval()).isZero();
        assertThat(view.isPlentiful(0)).isFalse();
        assertThat(view.explains(99)).isFalse();
        assertThat(view.explains(100)).isTrue();
        read(1, 20_000, 59.0);
        assertThat(view.isPlentiful(nanos(1))).isFalse(); // the lowest count of the window counts
        begin();
        read(0, 20_000, 60.0);
        assertThat(view.isPlentiful(0)).isTrue();
        begin();
        read(0, 11_049, 60.0); // less 1,049.7
        assertThat(view.isPlentiful(0)).isFalse();
    }

    @Test
    void aCountThatNobodyTellsIsNotRead() {
        Quota none = new Quota("a", 100L, null, Duration.ofSeconds(60), null);
        view.read(none, false, null, sentAt(0), 0, 0);
        assertThat(view.isWindow()).isFalse();
        assertThat(due(0, 500)).isZero();
        view.heard(none, false, 0, 0);
        view.join(none, 0);
        assertThat(view.interval()).isZero();
        assertThat(view.isPlentiful(0)).isTrue();
    }

    @Test
    void aCountBelowNothingIsNothing() {
        view.read(quota(-5, 60.0), false, null, sentAt(0), 0, 0);
        assertThat(due(0, 0)).isEqualTo(60);
        view.heard(quota(-9, 50.0), false, 0, nanos(10));
        assertThat(due(10, 0)).isEqualTo(60);
    }

    /** Meanwhile it has got an interval, which has decided nothing. */
    @Test
    void aResetThatMovesOnMakesItRollingAndTheIntervalBeginsAnew() {
        read(0, 5, 60.0);
        assertThat(view.interval()).isZero();
        read(1, 5, 65.0);
        assertThat(view.isWindow()).isFalse();
        assertThat(view.interval()).isEqualTo(1); // one second between the last two
        begin();
        read(0, 5, 60.0);
        view.heard(quota(5, 65.0), false, 0, nanos(1));
        assertThat(view.isWindow()).isFalse();
        assertThat(view.interval()).isZero();
    }

    @Test
    void whatIsHeardIsAReadingOfAWindowOnly() {
        read(0, 100, 60.0);
        view.heard(quota(50, 50.0), false, 0, nanos(10));
        assertThat(due(10, 42)).isEqualTo(15, ALMOST); // 7 are left after it: 42 s before 57 s
        begin();
        read(0, 5, null);
        view.heard(quota(0, 60.0), false, 0, nanos(1));
        assertThat(view.isWindow()).isFalse();
        begin();
        view.heard(quota(1, 60.0), true, 0, 0); // what nobody has read before may be one
        assertThat(view.isWindow()).isTrue();
        assertThat(due(0, 1)).isEqualTo(60);
    }

    @Test
    void whatIsHeardMayTellTheLimitAndTheLength() {
        Quota told = new Quota("a", 200L, 100L, Duration.ofSeconds(30), Duration.ofSeconds(60));
        sharers.become(2, Double.NaN, 0);
        view.heard(told, true, 0, 0);
        // 200 / 5 in 60 s, of which 27 s are left
        assertThat(due(0, 82)).isEqualTo(1.5, ALMOST);
        assertThat(due(0, 81)).isZero();
    }

    @Test
    void whoHasSeenNoRenewalTakesAHalfAfterTheReset() {
        read(0, 40, 60.0);
        assertThat(view.isAmple(20, nanos(59.9))).isFalse();
        assertThat(view.isAmple(20, nanos(60))).isTrue();
        assertThat(view.isAmple(21, nanos(60))).isFalse();
        read(50, 4, 10.0);
        read(60, 40, 60.0); // renewed
        assertThat(view.isAmple(1, nanos(120))).isFalse();
        begin();
        read(0, 40, null);
        assertThat(view.isAmple(1, nanos(120))).isFalse();
    }

    @Test
    void withoutAResetTheIntervalDecides() {
        read(0, 5, null);
        assertThat(view.isWindow()).isFalse();
        assertThat(view.interval()).isEqualTo(1.9);
        assertThat(due(0, 0)).isEqualTo(1.9, ALMOST);
        assertThat(view.explains(4)).isFalse();
        assertThat(view.explains(5)).isTrue();
        view.admitted(1, 1, nanos(10), nanos(10));
        assertThat(due(10, 0)).isEqualTo(11.9, ALMOST);
        view.release(nanos(10));
        assertThat(due(10, 0)).isEqualTo(10);
        view.shared(2, nanos(11));
        assertThat(view.interval()).isEqualTo(3.8);
        view.onRefusal(sentAt(11), 0, nanos(11));
        assertThat(view.interval()).isEqualTo(6 * 3.8, ALMOST);
    }

    /** Others use a hundred in 100 s, so that 4,200 are kept for the rest of an hour. */
    @Test
    void aStockThatOthersUseIsKeptForThem() {
        view.read(quota(10_000, null), false, null, sentAt(0), 0, 0);
        view.ended(149);
        view.cancelled(50); // they may have been counted
        read(100, 9_700, null);
        assertThat(due(100, 5_499)).isEqualTo(100);
        assertThat(due(100, 5_500)).isEqualTo(105);
    }

    @Test
    void aStockEndsWithAReset() {
        view.read(quota(10_000, null), false, null, sentAt(0), 0, 0);
        view.ended(199);
        read(100, 9_700, null);
        read(100, 9_700, 60.0);
        read(101, 9_700, 65.0); // no window, either
        assertThat(due(101, 5_500)).isEqualTo(101);
    }

    @Test
    void aResetIsLearned() {
        for (int second = 1; second <= 150; second++) {
            read(second, 99 - second % 60, null);
            assertThat(view.isWindow()).isEqualTo(second >= 60);
        }
        assertThat(due(150, 69)).isEqualTo(180, ALMOST);
    }
}
