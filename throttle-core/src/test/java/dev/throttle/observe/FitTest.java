package dev.throttle.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which limit of a sliding window of ten seconds explains most verdicts. */
class FitTest {

    private static final long SECOND = 1_000_000_000;
    private static final Law LAW = new Law(Law.Kind.SLIDING_WINDOW, 10 * SECOND, 0);

    /**
     * Each request comes a second after the one before, or a minute after it where a bar stands: {@code +} was granted.
     */
    @ParameterizedTest
    @CsvSource({
        "+++-, 3.5, 0", // between what was granted and what was refused
        "-|-, 0.5, 0",
        "+++, Infinity, 0",
        "+++|+-, 3, 1", // the second request of the second burst should have been granted, too
        "++|+-|+-, 1.5, 1",
        "++|+-, 1.5, 1", // one mistake, as with 2: the lower limit
        "++-|+-|++-|++-, 2.5, 1"
    })
    void theLimitWithTheFewestMistakesIsTaken(String requests, double limit, int mistakes) {
        Fit fit = Fit.of(LAW, Double.NaN, readings(requests));
        assertThat(fit.limit()).isEqualTo(limit);
        assertThat(fit.mistakes()).isEqualTo(mistakes);
    }

    @ParameterizedTest
    @CsvSource({"+++-, 3, 0", "+++-, 2, 1", "+++-, 4, 1", "+++-, 1, 2"})
    void aLimitThatIsToldIsNotLookedFor(String requests, double told, int mistakes) {
        Fit fit = Fit.of(LAW, told, readings(requests));
        assertThat(fit.limit()).isEqualTo(told);
        assertThat(fit.mistakes()).isEqualTo(mistakes);
    }

    private static List<Reading> readings(String requests) {
        List<Reading> readings = new ArrayList<>();
        long at = 0;
        for (char request : requests.toCharArray()) {
            at += request == '|' ? 60 * SECOND : SECOND;
            if (request != '|') {
                readings.add(new Reading(at, 1, request == '+', null));
            }
        }
        return readings;
    }
}
