package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.RateController;
import org.junit.jupiter.api.Test;

class BucketReplicaTest {

    private static final long SECOND = 1_000_000_000L;
    private static final PacingSettings SETTINGS = new PacingSettings(0.1, 0.2, 120, 120, 5 * SECOND, 0.03);

    private final BucketReplica replica = new BucketReplica(SETTINGS, new Tuning());

    private boolean read(double count, boolean refused, int wire, long now) {
        return replica.read(count, Double.NaN, Double.NaN, refused, 1, now, wire, now);
    }

    @Test
    void allButOneMayGoAtOnce() {
        replica.begin(5, 0, 0);
        assertThat(replica.dueNanos(0, 1, 3, 0)).isZero();
        assertThat(replica.dueNanos(0, 1, 4, 0)).isEqualTo(RateController.UNTIL_SIGNAL);
        assertThat(replica.dueNanos(4, 1, 0, 0)).isPositive();
    }

    @Test
    void theRefillThatIsKnownTellsWhenTheNextOneMayGo() {
        replica.begin(1, 0.5, 0);
        assertThat(replica.dueNanos(0, 1, 0, 0)).isEqualTo(2 * SECOND);
    }

    @Test
    void answersThatOvertakeEachOtherAreNobodyElse() {
        replica.begin(9, 0, 0);
        assertThat(read(5, false, 3, SECOND)).isTrue(); // the last of four comes first
        assertThat(read(8, false, 2, SECOND)).isTrue();
        assertThat(read(7, false, 1, SECOND)).isTrue();
        assertThat(read(6, false, 0, SECOND)).isTrue();
    }

    @Test
    void aCountThatFallsByMoreThanTheOwnRequestsShowsSomebodyElse() {
        replica.begin(50, 0, 0);
        assertThat(read(49, false, 0, SECOND)).isTrue();
        assertThat(read(47, false, 0, 2 * SECOND)).isTrue(); // one too low may be rounding
        assertThat(read(40, false, 0, 3 * SECOND)).isFalse();
    }

    @Test
    void howLongNothingRemainedIsRememberedForTheNextTime() {
        replica.begin(2, 0, 0);
        read(0, false, 0, 0);
        read(0, true, 0, 40 * SECOND);
        read(10, false, 0, 60 * SECOND);
        read(0, false, 0, 70 * SECOND);
        assertThat(replica.dueNanos(0, 1, 0, 70 * SECOND)).isEqualTo(110 * SECOND);
    }
}
