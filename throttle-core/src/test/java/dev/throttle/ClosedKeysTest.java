package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Until when keys are closed that were forgotten. */
class ClosedKeysTest {

    private static final long NOW = Long.MAX_VALUE - 1_000; // the clock may wrap

    @Test
    void aKeyIsKnownUntilItIsTaken() {
        ClosedKeys closed = new ClosedKeys();
        assertThat(closed.takeNanos("a", NOW)).isZero();
        closed.put("a", NOW + 5_000, NOW);
        assertThat(closed.takeNanos("b", NOW)).isZero();
        assertThat(closed.takeNanos("a", NOW + 2_000)).isEqualTo(3_000);
        assertThat(closed.takeNanos("a", NOW + 2_000)).isZero();
    }

    @Test
    void whatIsOverIsOpen() {
        ClosedKeys closed = new ClosedKeys();
        closed.put("a", NOW + 5_000, NOW);
        assertThat(closed.takeNanos("a", NOW + 5_001)).isZero();
    }

    @Test
    void keysThatShareAPlaceDoNotCloseEachOther() {
        ClosedKeys closed = new ClosedKeys(1);
        for (int i = 0; i < 1_000; i++) {
            closed.put("closed" + i, NOW + 5_000, NOW);
        }
        int known = 0;
        for (int i = 0; i < 1_000; i++) {
            assertThat(closed.takeNanos("open" + i, NOW)).isZero();
            known += closed.takeNanos("closed" + i, NOW) > 0 ? 1 : 0;
        }
        assertThat(known).as("as many as there are places").isEqualTo(8);
    }

    @Test
    void ofTheKeysThatShareAPlaceThoseStayThatAreClosedLongest() {
        ClosedKeys closed = new ClosedKeys(1);
        for (int i = 0; i < 100; i++) {
            closed.put("k" + i, NOW + 1_000 + (i * 37 % 100), NOW);
        }
        for (int i = 0; i < 100; i++) {
            boolean isLong = i * 37 % 100 >= 92;
            assertThat(closed.takeNanos("k" + i, NOW) > 0).as("k%s", i).isEqualTo(isLong);
        }
    }

    @Test
    void whatIsOverMakesRoom() {
        ClosedKeys closed = new ClosedKeys(1);
        for (int i = 0; i < 8; i++) {
            closed.put("old" + i, NOW + 1_000, NOW);
        }
        closed.put("new", NOW + 1_500, NOW + 1_001);
        assertThat(closed.takeNanos("new", NOW + 1_001)).isEqualTo(499);
    }

    @Test
    void aTableKnowsManyKeys() {
        ClosedKeys closed = new ClosedKeys();
        for (int i = 0; i < 20_000; i++) {
            closed.put("k" + i, NOW + 5_000, NOW);
        }
        int known = 0;
        for (int i = 0; i < 20_000; i++) {
            known += closed.takeNanos("k" + i, NOW) > 0 ? 1 : 0;
        }
        assertThat(known).isGreaterThan(19_500);
    }
}
