package dev.throttle.signal.header;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Dates are read as the JDK writes them; {@link dev.throttle.signal.HeaderRulesTest} has what is no date. */
class DatesTest {

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
}
