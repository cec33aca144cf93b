package dev.throttle.signal.header;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers, Go durations, timestamps and dates. */
class GrammarTest {

    /** 14 November 2023, 22:13:20 GMT. */
    private static final long NOW = 1_700_000_000_000L;

    @ParameterizedTest
    @CsvSource({
        "0,0",
        "30,30000",
        "0030,30000",
        "2.0,2000",
        "299.997,299997",
        "0.503,503",
        "0.0001,1",
        "0.0000000000001,1",
        "1.0000000000000000000000000,1000",
        "2147483648,2147483648000",
        "2147483649,2147483648000",
        "99999999999999999999999999,2147483648000",
        "9223372036854775807.9,2147483648000"
    })
    void secondsAreRoundedUpToTheMillisecondAndSaturate(String text, long millis) {
        assertThat(ResetTimeParser.delta(text)).isEqualTo(millis);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "+1",
                "-1",
                "-0",
                "1.",
                ".5",
                "1e3",
                "1E3",
                "0x10",
                "30d",
                "30f",
                "30L",
                "1_000",
                "1,5",
                "NaN",
                "Infinity",
                "1 0",
                "1.5.2",
                "\u0661",
                "\uff11",
                "1\u00a0",
                "0.1s2",
                "\u00bd",
                "1.-5",
                "--",
                "."
            })
    void whatIsNoNumberIsNone(String text) {
        assertThat(Decimal.parse(text)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "6m0s,360000",
        "2m59.56s,179560",
        "12ms,12",
        "370ms,370",
        "1h,3600000",
        "1h0m0.5s,3600500",
        "0s,0",
        "1ns,1",
        "999us,1",
        "1001us,2",
        "1.5h,5400000",
        "1.0000001h,3600001",
        "33.023s,33023",
        "1s1s,2000",
        "99999999999999999999h,2147483648000",
        "9000000000h9000000000h,2147483648000",
        "596523h14m7s,2147483647000"
    })
    void goDurationsAreRead(String text, long millis) {
        assertThat(GoDurations.millis(text)).isEqualTo(millis);
    }

    @Test
    void theMicroSignIsReadHoweverItIsDecoded() {
        assertThat(GoDurations.millis("2500\u00b5s")).isEqualTo(3);
        assertThat(GoDurations.millis("2500\u03bcs")).isEqualTo(3);
        assertThat(GoDurations.millis("2500\u00c2\u00b5s")).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "5", "s", "-3s", "+3s", "1d", "1w", "1M", "1S", "1m 30s", "1.s", ".5s", "1msx", "1s5", "1\u00b5",
                "\u0661s", "1.5.5s"
            })
    void whatIsNoGoDurationIsNone(String text) {
        assertThat(GoDurations.millis(text)).isEqualTo(Millis.NONE);
    }

    @ParameterizedTest
    @CsvSource({
        "2023-11-14T22:13:20Z,0",
        "2023-11-14t22:13:20z,0",
        "2023-11-14T22:13:25.250Z,5250",
        "2023-11-14T22:13:20.0001Z,1",
        "2023-11-14T22:14Z,40000",
        "2023-11-15T00:13:20+02:00,0",
        "2023-11-14T14:13:21-08:00,1000",
        "2023-11-14 22:13:20 UTC,0",
        "2023-11-14 22:13:21 +0000,1000",
        "2023-11-14 22:13:21Z,1000"
    })
    void timestampsAreRead(String text, long afterNow) {
        assertThat(Dates.timestamp(text)).isEqualTo(NOW + afterNow);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2023-11-14T22:13:20",
                "2023-11-14",
                "2023-02-29T00:00:00Z",
                "2023-13-01T00:00:00Z",
                "2023-00-01T00:00:00Z",
                "2023-11-00T00:00:00Z",
                "2023-11-14T24:00:00Z",
                "2023-11-14T22:60:00Z",
                "2023-11-14T22:13:61Z",
                "2023-11-14T22:13:60Z",
                "2023-11-14T22:13:20+24:00",
                "2023-11-14T22:13:20Zx",
                "+2023-11-14T22:13:20Z",
                "23-11-14T22:13:20Z",
                "2023-11-14T22:13:20 Z",
                "2023-11-14TZ"
            })
    void whatIsNoTimestampIsNone(String text) {
        assertThat(Dates.timestamp(text)).isEqualTo(Millis.NONE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Tue, 14 Nov 2023 22:13:20 GMT",
                "Wed, 14 Nov 2023 22:13:20 GMT",
                "Tue, 14 Nov 2023 22:13:20 UTC",
                "Tue, 14 Nov 2023 22:13:20 +0000",
                "TUE, 14 NOV 2023 22:13:20 gmt",
                "Tuesday, 14-Nov-23 22:13:20 GMT",
                "Tue Nov 14 22:13:20 2023"
            })
    void theThreeFormsOfADateAreRead(String text) {
        assertThat(Dates.httpDate(text, NOW)).isEqualTo(NOW);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Tue, 14 Nov 2023 22:13:20",
                "Tue, 14 Nov 2023 22:13:20 PST",
                "Tue, 14 Nov 2023 22:13:20 +0100",
                "Tue, 14 Nov 023 22:13:20 GMT",
                "Tue, 14 Nov 202323 22:13:20 GMT",
                "Tue, 31 Feb 2023 22:13:20 GMT",
                "Tue, 14 Foo 2023 22:13:20 GMT",
                "Tue, 14 Nov 2023 24:13:20 GMT",
                "Tue, 14 Nov 2023 22:13 GMT",
                "Tue, 14 Nov 2023 22:13:20 GMT x",
                "14 Nov 2023 22:13:20 GMT",
                "Tue, 14 Nov 20230 22:13:20 GMT",
                "Tue, 114 Nov 2023 22:13:20 GMT",
                "Tuesday, 14-Nov-2023 22:13:20 GMT",
                "Tue",
                "Tue,",
                "Tue, ",
                "Tue, 14",
                "in a while",
                ",,,",
                "Tue, 14 Nov 23 22:13:20 GMT",
                "Tue Nov 14 22:13:20 23",
                "Tue Nov 14 2023 22:13:20",
                "Tue Nov 14 2023 22:13:20 UTC",
                "Tue Nov 14 2023 22:13:20 GMT+0000 Coordinated",
                "Tue Nov 14 2023 22:13:20 GMT+0000 (Coordinated",
                "Tue Nov 31 2023 22:13:20 GMT+0000 (Coordinated Universal Time)"
            })
    void whatIsNoDateIsNone(String text) {
        assertThat(Dates.httpDate(text, NOW)).isEqualTo(Millis.NONE);
        assertThat(Dates.javaScript(text)).isEqualTo(Millis.NONE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Tue Nov 14 2023 22:13:20 GMT+0000 (Coordinated Universal Time)",
                "Tue Nov 14 2023 23:13:20 GMT+0100 (Central European Standard Time)",
                "Tue Nov 14 2023 12:43:20 GMT-0930 (Marquesas Time)",
                "Wed Nov 15 2023 10:13:20 GMT+1200 (Petropavlovsk-Kamchatski Standard Time)",
                "Tue Nov 14 2023 22:13:20 GMT+0000"
            })
    void aDateOfJavaScriptIsTheEndOfTheSecondThatItNames(String text) {
        assertThat(Dates.javaScript(text)).isEqualTo(1_700_000_000_999L);
        assertThat(Dates.httpDate(text, NOW)).isEqualTo(Millis.NONE);
    }

    @Test
    void aYearOfTwoDigitsIsAtMostFiftyYearsAhead() {
        assertThat(year("Thursday, 14-Nov-73 22:13:19 GMT", NOW)).isEqualTo(2073);
        assertThat(year("Wednesday, 14-Nov-74 22:13:21 GMT", NOW)).isEqualTo(1974);
        assertThat(year("Sunday, 06-Nov-94 08:49:37 GMT", NOW)).isEqualTo(1994);
        assertThat(year("Saturday, 01-Jan-00 00:00:00 GMT", NOW)).isEqualTo(2000);
        long in2099 = Instant.parse("2099-12-31T00:00:00Z").toEpochMilli();
        assertThat(year("Saturday, 01-Jan-01 00:00:00 GMT", in2099)).isEqualTo(2101);
    }

    private static int year(String text, long now) {
        return Instant.ofEpochMilli(Dates.httpDate(text, now))
                .atZone(ZoneOffset.UTC)
                .getYear();
    }

    @Test
    void anyInstantReadsTheSameInEveryForm() {
        DateTimeFormatter fixdate = DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH);
        DateTimeFormatter asctime = DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.ENGLISH);
        DateTimeFormatter rfc850 = DateTimeFormatter.ofPattern("EEEE, dd-MMM-yy HH:mm:ss 'GMT'", Locale.ENGLISH);
        SplittableRandom random = new SplittableRandom(850);
        long end = LocalDate.of(9999, 12, 31).toEpochDay() * 86_400;
        for (int i = 0; i < 20_000; i++) {
            long second = random.nextLong(end);
            ZonedDateTime time = Instant.ofEpochSecond(second).atZone(ZoneOffset.UTC);
            assertThat(Dates.httpDate(fixdate.format(time), NOW)).isEqualTo(second * 1000);
            assertThat(Dates.httpDate(asctime.format(time), NOW)).isEqualTo(second * 1000);
            OffsetDateTime elsewhere =
                    time.toOffsetDateTime().withOffsetSameInstant(ZoneOffset.ofHoursMinutes(-9, -30));
            assertThat(Dates.timestamp(DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(elsewhere)))
                    .isEqualTo(second * 1000);
            long near = NOW / 1000 + random.nextLong(-1_500_000_000L, 1_500_000_000L);
            String text = rfc850.format(Instant.ofEpochSecond(near).atZone(ZoneOffset.UTC));
            assertThat(Dates.httpDate(text, NOW)).isEqualTo(near * 1000);
        }
    }
}
