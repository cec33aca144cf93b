package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.Cost;
import org.junit.jupiter.api.Test;

/** A line in which who cannot go lets others pass and keeps its place. */
class TurnLineTest {

    private static final class Someone extends TurnLine.Place<Someone> {}

    private final TurnLine<Someone> line = new TurnLine<>();
    private final Someone a = new Someone();
    private final Someone b = new Someone();
    private final Someone c = new Someone();

    private void stand(Someone... people) {
        for (Someone person : people) {
            line.stand(person, Cost.ONE);
        }
    }

    @Test
    void whoCameFirstIsNext() {
        assertThat(line.next()).isNull();
        stand(a, b, c);
        stand(b); // it stays where it is
        assertThat(line.size()).isEqualTo(3);
        assertThat(line.next()).isSameAs(a);
        assertThat(line.leave(a)).isTrue();
        assertThat(line.leave(a)).isFalse();
        assertThat(a.isInLine()).isFalse();
        assertThat(line.next()).isSameAs(b);
        stand(a);
        line.leave(b);
        assertThat(line.next()).isSameAs(c);
        line.leave(c);
        assertThat(line.next()).isSameAs(a);
        line.leave(a);
        assertThat(line.next()).isNull();
        assertThat(line.size()).isZero();
    }

    @Test
    void whoLetsOthersPassGoesFirstAgainWhenItCan() {
        stand(a, b);
        assertThat(line.letPass(c)).isFalse();
        assertThat(line.letPass(a)).isTrue();
        assertThat(line.letPass(a)).isFalse();
        assertThat(line.next()).isSameAs(b);
        assertThat(line.letPass(b)).isTrue();
        assertThat(line.next()).isNull();
        stand(a);
        assertThat(line.next()).isSameAs(a);
    }

    @Test
    void whoLeavesFromTheMiddleOrTheEndLeavesNoGap() {
        stand(a, b, c);
        line.leave(b);
        stand(b);
        line.leave(a);
        assertThat(line.next()).isSameAs(c);
        line.leave(b);
        stand(a);
        line.leave(c);
        assertThat(line.next()).isSameAs(a);
    }

    @Test
    void whatIsAheadIsWhatThoseTakeWhoLetNobodyPass() {
        line.stand(a, Cost.of("tokens", 5));
        line.stand(b, Cost.of("tokens", 7));
        assertThat(line.costAhead(a)).isEqualTo(Cost.NONE);
        assertThat(line.costAhead(b)).isEqualTo(Cost.of("tokens", 5));
        assertThat(line.costAhead(c)).isEqualTo(Cost.requests(2).and("tokens", 12));
        assertThat(b.cost()).isEqualTo(Cost.of("tokens", 7));
        line.letPass(a);
        assertThat(line.costAhead(b)).isEqualTo(Cost.NONE);
        assertThat(line.costAhead(c)).isEqualTo(Cost.of("tokens", 7));
        line.stand(a, Cost.of("tokens", 1));
        line.stand(b, Cost.of("tokens", 2));
        assertThat(line.costAhead(c)).isEqualTo(Cost.requests(2).and("tokens", 3));
        line.leave(a);
        assertThat(line.costAhead(c)).isEqualTo(Cost.of("tokens", 2));
        line.letPass(b);
        line.leave(b);
        assertThat(line.costAhead(c)).isEqualTo(Cost.NONE);
    }
}
