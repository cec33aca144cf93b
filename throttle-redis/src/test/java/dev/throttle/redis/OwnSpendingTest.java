package dev.throttle.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;

class OwnSpendingTest {

    private static final long SECOND = 1_000_000_000L;

    private final Untold untold = new Untold(3, SECOND / 50, 10 * SECOND);

    private String ages(String id, long now) {
        OwnSpending own = untold.take(id, now);
        return own == null ? "" : own.ages(now);
    }

    @Test
    void whatIsNearIsOne() {
        untold.keep("a", OwnSpending.of(1, 2, 0));
        untold.keep("a", OwnSpending.of(2, 2, SECOND / 100));
        untold.keep("a", OwnSpending.of(4, 2, SECOND));
        assertThat(ages("a", 2 * SECOND)).isEqualTo("1990000:3,1000000:4");
        assertThat(ages("a", 2 * SECOND)).isEmpty();
    }

    /** It was on its way to Redis when more was spent, and came back. */
    @Test
    void whatComesBackIsAsOldAsItWas() {
        OwnSpending earlier = OwnSpending.of(1, 8, 0);
        OwnSpending later = OwnSpending.of(2, 5, 3 * SECOND);
        untold.keep("a", later);
        untold.keep("a", earlier);
        OwnSpending both = Objects.requireNonNull(untold.take("a", 4 * SECOND));
        assertThat(both.ages(4 * SECOND)).isEqualTo("4000000:1,1000000:2");
        assertThat(both.permits()).isEqualTo(3);
        assertThat(both.sharers()).isEqualTo(5);
    }

    @Test
    void whatWasSpentLongAgoDoesNotCount() {
        untold.keep("a", OwnSpending.of(1, 2, 0));
        untold.keep("a", OwnSpending.of(2, 2, SECOND));
        assertThat(ages("a", 10 * SECOND + 1)).isEqualTo("9000000:2");
        untold.keep("a", OwnSpending.of(1, 2, 0));
        assertThat(untold.take("a", 10 * SECOND + 1)).isNull();
        assertThat(untold.ids()).isEmpty();
    }

    @Test
    void ofMoreKeysThanCanBeKeptTheLatestStay() {
        for (String id : new String[] {"a", "b", "c", "a", "d"}) {
            untold.keep(id, OwnSpending.of(1, 2, 0));
        }
        assertThat(untold.ids()).containsExactly("c", "a", "d");
        untold.keep("c", OwnSpending.of(1, 2, 0)); // nobody has to go for one that is there
        assertThat(untold.ids()).containsExactly("a", "d", "c");
        assertThat(ages("a", 0)).isEqualTo("0:2");
    }
}
