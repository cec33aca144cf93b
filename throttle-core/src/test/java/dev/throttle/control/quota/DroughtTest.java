package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class DroughtTest {

    private static final Offset<Double> ALMOST = within(1e-6);

    private final Drought drought = new Drought();

    /** {@return when it was asked until the end of a drought, in seconds from its beginning} */
    private List<Double> ask(double began, double length) {
        List<Double> asked = new ArrayList<>();
        drought.read(true, true, nanos(began));
        double at = 0;
        do {
            at += drought.patience(Tuning.USUAL);
            asked.add(at);
            boolean isDry = at < length - 1e-9;
            drought.read(isDry, isDry, nanos(began + at));
        } while (at < length - 1e-9);
        return asked;
    }

    @Test
    void theFirstOneIsAskedForEverLessOften() {
        List<Double> asked = ask(0, 2);
        assertThat(asked).hasSize(7).startsWith(0.25, 0.5, 0.75);
        assertThat(asked.get(6) - asked.get(5)).isGreaterThan(0.4);
        assertThat(drought.lasts()).isFalse();
    }

    /** As the tokens of a server that come once in each second. */
    @Test
    void whereAllLastAlikeFewQuestionsAreInVain() {
        int asked = 0;
        for (int i = 0; i < 20; i++) {
            asked += ask(10.0 * i, 1).size();
        }
        assertThat(asked).isLessThan(2 * 20);
        assertThat(ask(300, 1)).hasSizeLessThan(4);
        assertThat(drought.usual(nanos(301))).isBetween(0.95, 1.05);
    }

    @Test
    void longerOnesAreFoundAnew() {
        for (int i = 0; i < 10; i++) {
            ask(10.0 * i, 1);
        }
        List<Double> longer = ask(200, 4);
        assertThat(longer.get(0)).isEqualTo(1, within(0.1));
        assertThat(longer.get(longer.size() - 1)).isLessThan(4 * 1.35 + 1e-6);
        for (int i = 0; i < 10; i++) {
            ask(1000 + 10.0 * i, 4);
        }
        assertThat(drought.usual(nanos(1095))).isEqualTo(4, within(0.4));
    }

    /** Now and then it asks a little earlier. */
    @Test
    void shorterOnesAreFoundLittleByLittle() {
        for (int i = 0; i < 10; i++) {
            ask(10.0 * i, 1);
        }
        for (int i = 0; i < 200; i++) {
            ask(1000 + 10.0 * i, 0.2);
        }
        assertThat(drought.usual(nanos(2990.5))).isLessThan(0.4);
    }

    /** Such as an outage. */
    @Test
    void oneAloneIsNotUsual() {
        ask(0, 30);
        assertThat(drought.usual(nanos(31))).isZero();
        ask(40, 30);
        assertThat(drought.usual(nanos(71))).isEqualTo(30, within(1.0));
    }

    @Test
    void whatIsLongAgoIsForgotten() {
        for (int i = 0; i < 10; i++) {
            ask(10.0 * i, 1);
        }
        assertThat(drought.usual(nanos(93))).isBetween(0.9, 1.1);
        assertThat(drought.usual(nanos(95))).isZero();
    }

    /** An accepted request that leaves nothing ends one drought and begins the next. */
    @Test
    void whatIsAcceptedHasComeBack() {
        drought.read(true, false, 0);
        drought.read(true, false, nanos(0.25));
        assertThat(drought.lasts()).isTrue();
        drought.read(true, false, nanos(0.5));
        drought.read(false, false, nanos(0.75));
        assertThat(drought.usual(nanos(0.75))).isLessThan(0.26);
        assertThat(drought.lasts()).isFalse();
    }

    @Test
    void beforeTheFirstOneNothingIsKnown() {
        assertThat(drought.lasts()).isFalse();
        assertThat(drought.usual(nanos(1))).isZero();
        drought.read(true, true, 0);
        assertThat(drought.patience(Tuning.USUAL)).isEqualTo(0.25, ALMOST);
    }
}
