package dev.throttle.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.observe.Law.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Limits are found out by what was granted, refused and told. */
class LawSearchTest {

    private static final double SECOND = 1e9;
    private static final int LIMIT = 40;

    static Stream<Law> laws() {
        return Stream.of(
                new Law(Kind.FIXED_WINDOW, 10 * SECOND, (long) (3.3 * SECOND)),
                new Law(Kind.FIXED_WINDOW, 60 * SECOND, (long) (41.7 * SECOND)),
                new Law(Kind.WINDOW_FROM_REQUEST, 10 * SECOND, 0),
                new Law(Kind.SLIDING_WINDOW, 10 * SECOND, 0),
                new Law(Kind.BUCKET, 0.37 * SECOND, 0));
    }

    /** Requests at random, as fast as the limit on average, so that some are refused. */
    private static List<Reading> readings(Law law, boolean isTold, double others) {
        double meanGap = law.kind() == Kind.BUCKET ? law.window() * 0.9 : law.window() / LIMIT;
        SplittableRandom random = new SplittableRandom(7);
        Usage usage = law.start();
        List<Reading> readings = new ArrayList<>();
        double at = SECOND;
        for (int i = 0; i < 6_000; i++) {
            at += -Math.log(1 - random.nextDouble()) * meanGap * 1.05;
            long now = (long) at;
            if (random.nextDouble() < others && usage.used(now) + 1 <= LIMIT) {
                usage.add(1, now);
            }
            boolean isGranted = usage.used(now) + 1 <= LIMIT;
            if (isGranted) {
                usage.add(1, now);
            }
            double left = Math.floor(LIMIT - usage.used(now));
            readings.add(new Reading(now, 1, isGranted, isTold ? Double.valueOf(left) : null));
        }
        return readings;
    }

    @ParameterizedTest
    @MethodSource("laws")
    void aSilentServerIsFoundOutByItsRefusals(Law law) {
        Fit fit = new LawSearch(readings(law, false, 0), Double.NaN, List.of(), () -> false).best();
        assertThat(fit.law().kind()).isEqualTo(law.kind());
        assertThat(fit.law().window()).isCloseTo(law.window(), within(law.window() * 0.01));
        assertThat(fit.limit()).isCloseTo(LIMIT, within(1.5));
        assertThat(fit.mistakes()).isLessThan(100);
    }

    @ParameterizedTest
    @MethodSource("laws")
    void aServerThatTellsIsFoundOutByThat(Law law) {
        Fit fit = new LawSearch(readings(law, true, 0), LIMIT, List.of(), () -> false).best();
        assertThat(fit.law().kind()).isEqualTo(law.kind());
        assertThat(fit.law().window()).isCloseTo(law.window(), within(law.window() * 0.02));
        assertThat(fit.mistakes()).isLessThan(100);
    }

    /** What others use evenly of a bucket looks like a bucket that fills more slowly, which comes to the same. */
    @ParameterizedTest
    @MethodSource("laws")
    void whatOthersUseShowsInWhatIsTold(Law law) {
        if (law.kind() == Kind.BUCKET) {
            Fit fit = new LawSearch(readings(law, true, 0.3), LIMIT, List.of(), () -> false).best();
            assertThat(fit.law().kind()).isEqualTo(law.kind());
            assertThat(fit.law().window()).isBetween(law.window() * 0.99, law.window() * 1.4);
            return;
        }
        List<Reading> readings = readings(law, true, 0.3);
        double own = readings.stream().filter(Reading::isGranted).count();
        Fit fit = new LawSearch(readings, LIMIT, List.of(), () -> false).best().withoutNoise(own);
        assertThat(fit.law().kind()).isEqualTo(law.kind());
        double share = new ModelLimit("requests", fit, null, own).othersShare();
        assertThat(share).isCloseTo(0.23, within(0.06));
    }

    @ParameterizedTest
    @MethodSource("laws")
    void whereNobodyElseUsesItNobodyIsSeen(Law law) {
        List<Reading> readings = readings(law, true, 0);
        double own = readings.stream().filter(Reading::isGranted).count();
        Fit fit = new LawSearch(readings, LIMIT, List.of(), () -> false).best().withoutNoise(own);
        assertThat(fit.others()).hasSizeLessThanOrEqualTo(1);
    }

    @Test
    void aWindowThatWasToldIsTriedFirst() {
        Law odd = new Law(Kind.FIXED_WINDOW, 47 * SECOND, (long) (11.5 * SECOND));
        Fit fit = new LawSearch(readings(odd, true, 0), LIMIT, List.of(47 * SECOND), () -> false).best();
        assertThat(fit.law().window()).isEqualTo(47 * SECOND);
        assertThat(fit.badness()).isLessThan(50);
    }

    @Test
    void itEndsWhenTheTimeIsOver() {
        Law law = new Law(Kind.FIXED_WINDOW, 10 * SECOND, 0);
        Fit fit = new LawSearch(readings(law, true, 0), LIMIT, List.of(), () -> true).best();
        assertThat(fit.limit()).isEqualTo(LIMIT);
    }
}
