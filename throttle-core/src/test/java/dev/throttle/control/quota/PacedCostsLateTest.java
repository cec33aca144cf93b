package dev.throttle.control.quota;

import static dev.throttle.control.quota.CostStory.tokens;
import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/**
 * When requests go to a bucket that books what they take when their answers end. One leaves each second from 10 s on,
 * asks for 100 and takes 20, and its answer ends ten seconds later.
 */
class PacedCostsLateTest {

    private static final Offset<Double> ALMOST = within(1e-8);

    private final CostStory story = new CostStory(1_000).bucket();
    private final CostRatio taken = new CostRatio(1, 0.4);
    private long left = 340;

    private void until(int last) {
        for (int at = 10; at <= last; at++) {
            left += 10;
            second(at);
        }
    }

    private void second(int at) {
        story.leaves(at, tokens(100));
        if (at >= 20) {
            story.law.settled(tokens(100), tokens(20), nanos(at - 10), nanos(at));
            taken.add(0.2);
            left -= 20;
        }
        story.answers(at, at, tokens(100), left);
    }

    /** {@return what a request takes that asks for 100} */
    private double truth() {
        return 100 * taken.mean();
    }

    @Test
    void whatIsOnItsWayTakesItsPartWhenItEnds() {
        until(30);
        assertThat(left).isEqualTo(330);
        double ends = 330 + 10 * 10 - 10 * truth(); // ten others end until the next one would
        assertThat(story.due(100)).isEqualTo(30 + (truth() + 500 - ends) / 10, ALMOST);
    }

    @Test
    void aTwentiethOfTheLimitHasToBeLeftWhenItArrives() {
        until(30);
        story.tells(31, 49, 95.1);
        assertThat(story.law.explains(tokens(0), 0)).isTrue();
        story.tells(32, 50, 95);
        assertThat(story.law.explains(tokens(0), 0)).isFalse();
    }

    @Test
    void whatARequestAsksForHasToBeLeftWhenAServerHoldsIt() {
        CostStory held = new CostStory(1_000).bucket(850);
        long rest = 940;
        for (int at = 10; at <= 25; at++) {
            held.leaves(at, tokens(50));
            rest += 10 - 50;
            if (at >= 15) {
                held.law.settled(tokens(50), tokens(10), nanos(at - 5), nanos(at));
                rest += 40;
            }
            held.answers(at, at, tokens(50), rest);
        }
        held.tells(40, 890);
        assertThat(held.due(840)).isEqualTo(40);
        assertThat(held.due(850)).isEqualTo(41); // and a twentieth of the limit
    }
}
