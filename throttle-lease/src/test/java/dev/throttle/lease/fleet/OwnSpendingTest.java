package dev.throttle.lease.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.lease.fleet.Untold.Telling;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class OwnSpendingTest {

    private static final long SECOND = 1_000_000_000L;

    private final Untold untold = new Untold(3, SECOND / 50, 10 * SECOND);

    private String ages(String id, long now) {
        return untold.take(id, now).stream()
                .map(telling -> telling.spending().ages(now))
                .collect(Collectors.joining(";"));
    }

    @Test
    void whatIsNearIsOne() {
        untold.keep("a", OwnSpending.of(1, 2, 0));
        untold.keep("a", OwnSpending.of(2, 2, SECOND / 100));
        untold.keep("a", OwnSpending.of(4, 2, SECOND));
        assertThat(ages("a", 2 * SECOND)).isEqualTo("1990000:3,1000000:4");
        assertThat(ages("a", 2 * SECOND)).isEmpty();
    }

    @Test
    void noTwoTellingsOfAProcessHaveTheSameName() {
        Untold other = new Untold(3, SECOND / 50, 10 * SECOND); // of another limit, perhaps with the same key
        untold.keep("a", OwnSpending.of(1, 2, 0));
        other.keep("a", OwnSpending.of(1, 2, 0));
        assertThat(untold.take("a", 0).get(0).name())
                .isNotEqualTo(other.take("a", 0).get(0).name());
    }

    /** It was on its way to Redis when more was spent, and came back. */
    @Test
    void whatComesBackIsAsOldAsItWas() {
        OwnSpending earlier = OwnSpending.of(1, 8, 0);
        OwnSpending later = OwnSpending.of(2, 5, 3 * SECOND);
        untold.keep("a", later);
        untold.keep("a", earlier);
        OwnSpending both = untold.take("a", 4 * SECOND).get(0).spending();
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
        assertThat(untold.take("a", 10 * SECOND + 1)).isEmpty();
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

    /** Redis may have heard of it. */
    @Test
    void whatIsToldAgainKeepsItsName() {
        untold.keep("a", OwnSpending.of(1, 2, 0));
        Telling first = untold.take("a", 0).get(0);
        untold.keep("a", OwnSpending.of(2, 2, SECOND));
        untold.failed("a", first, true);
        List<Telling> both = untold.take("a", SECOND);
        assertThat(both).hasSize(2);
        assertThat(both.get(0).name()).isEqualTo(first.name());
        assertThat(both.get(0).spending()).isEqualTo(first.spending());
        assertThat(both.get(1).name()).isNotEqualTo(first.name());
        assertThat(both.get(1).spending().permits()).isEqualTo(2);
    }

    @Test
    void moreThanAFewDoubtsAreOne() {
        for (int i = 0; i < 10; i++) {
            untold.failed("a", new Telling("name " + i, OwnSpending.of(1, 2, i * SECOND), false), true);
        }
        List<Telling> all = untold.take("a", 10 * SECOND);
        assertThat(all).hasSize(4);
        assertThat(all.stream()
                        .mapToLong(telling -> telling.spending().permits())
                        .sum())
                .isEqualTo(10);
    }
}
