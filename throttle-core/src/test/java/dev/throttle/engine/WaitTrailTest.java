package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who follows a wait hears of its end once, whichever thread is faster. */
class WaitTrailTest {

    private final List<String> told = new ArrayList<>();
    private final WaitTrail trail = new WaitTrail();

    private void follow() {
        trail.begun((reason, waitNanos, failure) -> told.add(reason + " " + waitNanos + " " + failure));
    }

    @Test
    void whoFollowsFromTheBeginningHearsOfTheEnd() {
        follow();
        assertThat(told).isEmpty();
        trail.ended("quota", 5, null);
        assertThat(told).containsExactly("quota 5 null");
        trail.ended("quota", 9, null);
        assertThat(told).hasSize(1);
    }

    @Test
    void anEndThatIsFasterIsToldWhenTheBeginningIs() {
        trail.ended("quota", 5, null);
        trail.ended("rate", 7, null); // there is one end
        follow();
        assertThat(told).containsExactly("quota 5 null");
    }
}
