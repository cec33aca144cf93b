package dev.throttle.signal.header;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Dates are read as the JDK writes them; {@link dev.throttle.signal.HeaderRulesTest} has what is no date. */
class DatesTest {

    private static final long NOW = 1_700_000_000_000L;
    private static final DateTimeFormatter FIXDATE = form("EEE, dd MMM uuuu HH:mm:ss 'GMT'");
    private static final DateTimeFormatter RFC_850 = form("EEEE, dd-MMM-uu HH:mm:ss 'GMT'");
    private static final DateTimeFormatter ASCTIME = form("EEE MMM ppd HH:mm:ss uuuu");
    private static final long FIRST = Instant.parse("0000-01-01T00:00:00Z").getEpochSecond();
    private static final long LAST = Instant.parse("9999-12-31T23:59:59Z").getEpochSecond();

    private final Random random = new Random(1);

    private static DateTimeFormatter form(String pattern) {
        return DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH).withZone(ZoneOffset.UTC);
    }

    @Test
    void whatTheJdkWritesIsReadBack() {
        for (int i = 0; i < 20_000; i++) {
            Instant instant = Instant.ofEpochSecond(random.nextLong(FIRST, LAST));
            assertThat(Dates.httpDate(FIXDATE.format(instant), 0))
                    .as("%s", instant)
                    .isEqualTo(instant.toEpochMilli());
            assertThat(Dates.httpDate(ASCTIME.format(instant), 0))
                    .as("%s", instant)
                    .isEqualTo(instant.toEpochMilli());
            Instant fine = instant.plusMillis(random.nextInt(1000));
            assertThat(Dates.timestamp(fine.toString())).as("%s", fine).isEqualTo(fine.toEpochMilli());
            OffsetDateTime there = fine.atOffset(ZoneOffset.ofTotalSeconds(60 * random.nextInt(-1080, 1081)));
            if (there.getYear() >= 0 && there.getYear() <= 9999) {
                assertThat(Dates.timestamp(there.toString())).as("%s", there).isEqualTo(fine.toEpochMilli());
            }
        }
    }

    @Test
    void aYearOfTwoDigitsIsTheOneAtMostFiftyYearsAhead() {
        for (int i = 0; i < 20_000; i++) {
            Instant now = Instant.ofEpochSecond(random.nextLong(0, LAST / 2));
            OffsetDateTime from = now.atOffset(ZoneOffset.UTC).minusYears(49);
            Instant instant = from.plusDays(random.nextInt(98 * 365)).toInstant();
            assertThat(Dates.httpDate(RFC_850.format(instant), now.toEpochMilli()))
                    .as("%s seen at %s", instant, now)
                    .isEqualTo(instant.toEpochMilli());
        }
    }

    @Test
    void whatWasReadBeforeChangesNothing() {
        String text = "2023-11-14T22:13:20Z";
        long before = Dates.httpDate(text, 0);
        assertThat(Dates.timestamp(text)).isEqualTo(1_700_000_000_000L);
        assertThat(Dates.httpDate(text, 0)).isEqualTo(before).isEqualTo(Millis.NONE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Tue, 14Nov 2023 22:13:20 GMT",
                "Tue, 14 Nov2023 22:13:20 GMT",
                "Tue, 14 Nov 202322:13:20 GMT",
                "Tue, 14 Nov 2023 22:1320 GMT",
                "Tue, 14 Nov 2023 2213:20 GMT",
                "Tue, 14 Abc 2023 22:13:20 GMT",
                "Tue, 14-Nov-2023 22:13:20 GMT",
                "Tue, 14-Nov 23 22:13:20 GMT",
                "Tue, 29-Feb-23 22:13:20 GMT",
                "Tue Nov14 22:13:20 2023",
                "Tue Nov 1422:13:20 2023",
                "Tue Nov 14 22:13:202023",
                "Tue Nov 1",
                "Tue",
                ""
            })
    void aDateWithoutItsSeparatorsIsNone(String text) {
        assertThat(Dates.httpDate(text, NOW)).isEqualTo(Millis.NONE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "202311-14T22:13:20Z",
                "2023-1114T22:13:20Z",
                "2023-11-1422:13:20Z",
                "2023-11-14T22:13:2001:30",
                "2023-11-14T22:13:20.1234567891Z",
                "2023-11-14T22:13:20.5",
                "2023-11-14T22:13:20",
                "2023-11-14T22:13:20ZZ"
            })
    void aTimestampWithoutItsSeparatorsIsNone(String text) {
        assertThat(Dates.timestamp(text)).isEqualTo(Millis.NONE);
    }

    @Test
    void aTimestampMayHaveNineDigitsBehindTheSecond() {
        assertThat(Dates.timestamp("2023-11-14T22:13:20.123456789Z")).isEqualTo(NOW + 124); // rounded up
        assertThat(Dates.timestamp("2023-11-14T22:13Z")).isEqualTo(NOW - 20_000);
    }

    @Test
    void aYearOfTwoDigitsMayBeFiftyYearsAheadButNoMillisecondMore() {
        long now = Instant.parse("1950-01-01T00:00:00Z").toEpochMilli();
        String day = "Saturday, 01-Jan-00 00:00:00 GMT";
        assertThat(Dates.httpDate(day, now))
                .isEqualTo(Instant.parse("2000-01-01T00:00:00Z").toEpochMilli());
        assertThat(Dates.httpDate(day, now - 1))
                .isEqualTo(Instant.parse("1900-01-01T00:00:00Z").toEpochMilli());
        assertThat(Dates.httpDate("Friday, 01-Jun-00 00:00:00 GMT", now))
                .isEqualTo(Instant.parse("1900-06-01T00:00:00Z").toEpochMilli());
    }
}
