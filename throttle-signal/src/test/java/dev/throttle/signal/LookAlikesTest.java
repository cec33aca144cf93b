package dev.throttle.signal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.header.Readings;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Headers that look like others, and mean something else. */
class LookAlikesTest {

    private static void reads(Head head, String... readings) {
        assertThat(Readings.of(head.hints())).containsExactly(readings);
    }

    @Test
    void quotasWithDifferentNamesAreDifferent() {
        reads(
                Head.of(200, "X-RateLimit-Limit-Requests", "60", "X-RateLimit-Remaining-Images", "0"),
                "quota requests limit=60",
                "quota images remaining=0 unit=images");
        reads(
                Head.of(
                        200,
                        "X-RateLimit-Limit-Minute",
                        "60",
                        "X-RateLimit-Remaining-Minute",
                        "10",
                        "X-RateLimit-Reset-Day",
                        "40000"),
                "quota minute limit=60 remaining=10 window=60s",
                "quota day reset=40000s window=86400s");
        reads(
                Head.of(200, "X-RateLimit-Limit", "10", "X-RateLimit-Remaining-Month", "90000"),
                "quota - limit=10",
                "quota month remaining=90000");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Credit-Limit-Remaining",
                "X-Seat-Limit-Remaining",
                "X-Page-Limit-Remaining",
                "Upload-Limit-Max",
                "X-No-Retry-After",
                "X-Retry-After-Policy",
                "X-Cache-Retry-After-Max",
                "X-RateLimit-Retry-After-Max",
                "X-Ttl",
                "X-Requests-Remaining"
            })
    void someNamesOnlyLookLikeThoseOfLimits(String name) {
        reads(Head.of(429, name, "0"), "nothing");
    }

    @Test
    void waitsKeepTheirSpellings() {
        for (String name : List.of("X-Retry-After", "Retry-After-Short", "X-Acme-RateLimit-Retry-After-Seconds")) {
            reads(Head.of(429, name, "7"), "wait 7s");
        }
        reads(Head.of(429, "X-Rate-Limit-Retry-After-Ms", "70"), "wait 0.07s");
    }

    @Test
    void resetsSayTheirUnit() {
        for (String name : List.of("Reset-In-Ms", "ResetMs")) {
            reads(Head.of(200, "X-RateLimit-" + name, "5000"), "quota - reset=5s");
        }
        reads(Head.of(200, "X-RateLimit-Reset-Timestamp-Ms", "1700000005000"), "quota - reset=5s");
        reads(Head.of(200, "X-RateLimit-Reset-Minutes", "5"), "quota - reset=300s");
        reads(Head.of(200, "X-RateLimit-Reset-Ms", "1700000009"), "quota - reset=9s");
    }

    @Test
    void aResetFarBeyondTheWindowIsToldInMilliseconds() {
        reads(
                Head.of(
                        429,
                        "x-ratelimit-limit-daily",
                        "200000",
                        "x-ratelimit-daily-remaining",
                        "0",
                        "x-ratelimit-daily-reset",
                        "49013000"),
                "quota daily limit=200000 remaining=0 reset=49013s window=86400s");
        reads(
                Head.of(200, "RateLimit-Limit", "10, 10;w=1", "RateLimit-Remaining", "1", "RateLimit-Reset", "7"),
                "quota - limit=10 remaining=1 reset=7s window=1s");
    }

    @Test
    void onlyNumbersWithoutAUnitAreAmbiguous() {
        assertThat(Head.of(200, "X-RateLimit-Reset", "60").quota().ambiguousReset())
                .isTrue();
        for (String value : List.of("1700000060", "60s", "2023-11-14T22:14:20Z", "60.5")) {
            assertThat(Head.of(200, "X-RateLimit-Reset", value).quota().ambiguousReset())
                    .as(value)
                    .isFalse();
        }
        assertThat(Head.of(200, "X-RateLimit-Reset", "60", "X-RateLimit-Reset-After", "60")
                        .quota()
                        .ambiguousReset())
                .isFalse();
        HintReader reader = HintReader.builder().resetUnit(ResetUnit.MILLIS).build();
        Quota quota = reader.read(Head.of(200, "X-RateLimit-Reset", "60"), Head.NOW)
                .quotas()
                .get(0);
        assertThat(quota.ambiguousReset()).isFalse();
        assertThat(quota.reset()).isEqualTo(Duration.ofMillis(60));
    }

    @Test
    void thousandsMayStandApart() {
        reads(
                Head.of(200, "X-RateLimit-Limit", "5,000", "X-RateLimit-Remaining", "4,999"),
                "quota - limit=5000 remaining=4999");
        reads(
                Head.of(200, "X-RateLimit-Limit", "5,000", "X-RateLimit-Used", "1,200"),
                "quota - limit=5000 remaining=3800");
        assertThat(Head.of(200, "X-RateLimit-Limit", "5,100", "X-RateLimit-Used", "1,200")
                        .hints()
                        .quotas())
                .hasSize(1);
    }

    @Test
    void listsOfEqualLengthAreAboutAWindowEach() {
        reads(
                Head.of(
                        200,
                        "X-RateLimit-Limit",
                        "5,100",
                        "X-RateLimit-Remaining",
                        "3,98",
                        "X-RateLimit-Reset",
                        "1,3600"),
                "quota 1 limit=5 remaining=3 reset=1s",
                "quota 2 limit=100 remaining=98 reset=3600s");
        assertThat(Head.of(200, "X-RateLimit-Limit", "100, 100", "X-RateLimit-Used", "2, 1")
                        .hints()
                        .quotas())
                .as("two proxies")
                .hasSize(1);
    }

    @Test
    void announcedWindowsComeBeforeThoseOfTheTable() {
        reads(
                Head.of(
                                200,
                                "RateLimit-Usage",
                                "30,200",
                                "RateLimit-Limit",
                                "100,1000",
                                "RateLimit-Policy",
                                "100;w=60, 1000;w=3600")
                        .at("www.polaraccesslink.com"),
                "quota 1m limit=100 remaining=70 window=60s",
                "quota 1h limit=1000 remaining=800 window=3600s");
    }

    @Test
    void rulesOfOneVendorAreNotThoseOfOthers() {
        Head head = Head.of(200, "RateLimit-Limit", "100", "RateLimit-Interval", "60");
        reads(head, "quota - limit=100 window=60s");
        reads(head.at("api.HUOBI.pro"), "quota - limit=100 window=0.06s");
        reads(
                Head.of(
                        200,
                        "Date",
                        "Tue, 21 Nov 2017 16:45:08 GMT",
                        "X-RateLimit-UserLimit",
                        "500",
                        "X-RateLimit-UserReset",
                        "1511282710"),
                "quota user limit=500 reset=2s");
    }

    @Test
    void structuredFieldsOfAUsersVendorAreBelievedEachByItself() {
        HintReader reader = HintReader.builder().vendors("""
                        vendor: A
                        header X-A-RateLimit: structured quota=a
                        header X-B-RateLimit: structured quota=b unit=points
                        """).build();
        Head head = Head.of(200, "X-A-RateLimit", "\"q\";r=0;t=5", "X-B-RateLimit", "\"q\";r=7");
        assertThat(Readings.of(reader.read(head, Head.NOW)))
                .containsExactly("quota q remaining=0 reset=5s", "quota q remaining=7 unit=points");
    }
}
