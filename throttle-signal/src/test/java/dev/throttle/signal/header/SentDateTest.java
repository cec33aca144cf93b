package dev.throttle.signal.header;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SentDateTest {

    private static final long NOW = millis("2026-11-22T12:00:00Z");

    private static long millis(String instant) {
        return Instant.parse(instant).toEpochMilli();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Sun, 22 Nov 2026 12:00:07 GMT | 2026-11-22T12:00:07Z",
                "Sun, 22 Nov 2026 12:00:07 GMT | 2026-11-22T12:00:07Z",
                "Sun, 22 Nov 2026 12:00:17 GMT | 2026-11-22T12:00:17Z",
                "Mon, 23 Nov 2026 12:00:07 GMT | 2026-11-23T12:00:07Z",
                "Sun, 22 Nov 2026 12:00:07 GMT | 2026-11-22T12:00:07Z",
                "' Sun, 22 Nov 2026 12:00:07 GMT' | 2026-11-22T12:00:07Z",
                "Sun Nov 22 12:00:07 2026 | 2026-11-22T12:00:07Z"
            })
    void datesThatTakeEachOthersPlaceAreNeverMixedUp(String text, String instant) {
        assertThat(SentDate.millis(text, NOW)).isEqualTo(millis(instant));
    }

    @Test
    void theYearOfTwoDigitsIsNearToNowEachTime() {
        String text = "Sunday, 22-Nov-26 12:00:07 GMT";

        assertThat(SentDate.millis(text, NOW)).isEqualTo(millis("2026-11-22T12:00:07Z"));
        assertThat(SentDate.millis(text, millis("1950-01-01T00:00:00Z"))).isEqualTo(millis("1926-11-22T12:00:07Z"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"''", "Sun, 22 Foo 2026 12:00:07 GMT", "Sun, 22 Nov 2026 12:00:07 CET"})
    void whatIsNoDateIsNone(String text) {
        assertThat(SentDate.millis(text, NOW)).isEqualTo(Millis.NONE);
        assertThat(SentDate.millis(text, NOW)).isEqualTo(Millis.NONE);
    }
}
