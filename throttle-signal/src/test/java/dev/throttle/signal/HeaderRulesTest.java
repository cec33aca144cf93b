package dev.throttle.signal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The rules by which headers are read, each with a test of its name. */
class HeaderRulesTest {

    private static final String DATE = "Tue, 14 Nov 2023 22:13:20 GMT";

    @Test
    void rule01_namesAreReadInAnyCase() {
        assertThat(Head.of(429, "RETRY-AFTER", "3").hints().retryAfter()).isEqualTo(seconds(3));
        assertThat(Head.of(200, "x-RATELIMIT-remaining", "3").quota().remaining())
                .isEqualTo(3);
    }

    @Test
    void rule01_onlySpacesAndTabsAroundAValueAreRemoved() {
        assertThat(retryAfter(" \t30\t ")).isEqualTo(seconds(30));
        assertThat(retryAfter("\u00a030")).isNull();
        assertThat(retryAfter("\n30")).isNull();
        assertThat(retryAfter("30\u0000")).isNull();
    }

    @Test
    void rule01_aCharacterBeyondAsciiSpoilsAValueButForTheMicroSignOfADuration() {
        assertThat(retryAfter("\u0663\u0660")).isNull();
        assertThat(retryAfter("1500\u00b5s")).isEqualTo(Duration.ofMillis(2));
        assertThat(Head.of(200, "RateLimit", "\"\u00e9\";r=1").hints()).isSameAs(RateHints.NONE);
        assertThat(Head.of(200, "RateLimit", "\"a\";r=1", "RateLimit", "\"\u00e9\";r=1")
                        .hints())
                .isSameAs(RateHints.NONE);
        assertThat(Head.of(200, "X-RateLimit-Remaining", "1", "X-RateLimit-Resource", "\u00e9")
                        .quota()
                        .policy())
                .isNull();
    }

    @Test
    void rule02_aNumberIsDigitsWithAnOptionalFraction() {
        for (String text : List.of("+30", "-1", "1e3", "0x1E", "30s30", "NaN", "Infinity", "1_0", "30.", ".5", "30f")) {
            assertThat(retryAfter(text)).as(text).isNull();
        }
    }

    @Test
    void rule02_waitsAreRoundedUpAndCountsDown() {
        assertThat(retryAfter("0.0001")).isEqualTo(Duration.ofMillis(1));
        Quota quota = Head.of(
                        200, "X-RateLimit-Limit", "10.9", "X-RateLimit-Remaining", "3.9", "X-RateLimit-Reset", "1.0001")
                .quota();
        assertThat(quota.limit()).isEqualTo(10);
        assertThat(quota.remaining()).isEqualTo(3);
        assertThat(quota.reset()).isEqualTo(Duration.ofMillis(1001));
    }

    @Test
    void rule02_aLongWaitSaturatesAtTwoToThe31Seconds() {
        Duration longest = Duration.ofSeconds(1L << 31);
        assertThat(retryAfter("9".repeat(40))).isEqualTo(longest);
        assertThat(retryAfter("99999999999")).isEqualTo(longest);
        assertThat(retryAfter("9".repeat(40) + "h")).isEqualTo(longest);
        assertThat(Head.of(429, "retry-after-ms", "9".repeat(40)).hints().retryAfter())
                .isEqualTo(longest);
        assertThat(Head.of(200, "RateLimit", "\"a\";r=1;t=999999999999999")
                        .quota()
                        .reset())
                .isEqualTo(longest);
        assertThat(Head.of(200, "X-RateLimit-Remaining", "9".repeat(40)).quota().remaining())
                .isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void rule03_aMomentIsANumberADurationATimestampOrADate() {
        for (String text : List.of(
                "60",
                "1m",
                "1700000060",
                "2023-11-14T22:14:20Z",
                "2023-11-15T00:14:20+02:00",
                "Tue, 14 Nov 2023 22:14:20 GMT",
                "Tuesday, 14-Nov-23 22:14:20 GMT",
                "Tue Nov 14 22:14:20 2023")) {
            assertThat(retryAfter(text)).as(text).isEqualTo(seconds(60));
            assertThat(reset(text)).as(text).isEqualTo(seconds(60));
        }
    }

    @Test
    void rule04_theSizeOfANumberTellsDeltasFromInstants() {
        assertThat(reset("999999999")).isEqualTo(seconds(999_999_999));
        assertThat(reset("1000000000")).isEqualTo(Duration.ZERO);
        assertThat(reset("1700000060")).isEqualTo(seconds(60));
        assertThat(reset("1700000060.25")).isEqualTo(Duration.ofMillis(60_250));
        assertThat(reset("99999999999")).isEqualTo(seconds(1L << 31));
        assertThat(reset("100000000000")).isEqualTo(Duration.ZERO);
        assertThat(reset("1700000060000")).isEqualTo(seconds(60));
        assertThat(reset("99999999999999")).isEqualTo(seconds(1L << 31));
        assertThat(reset("100000000000000")).isEqualTo(Duration.ZERO);
        assertThat(reset("1700000060000001")).isEqualTo(Duration.ofMillis(60_001));
        assertThat(reset("100000000000000000")).isEqualTo(Duration.ZERO);
        assertThat(reset("1700000060000000001")).isEqualTo(Duration.ofMillis(60_001));
        assertThat(reset("1" + "0".repeat(20))).isEqualTo(seconds(1L << 31));
    }

    @Test
    void rule04_anInstantIsComparedWithTheServersClock() {
        Head head = Head.of(
                429, "Date", DATE, "Retry-After", "Tue, 14 Nov 2023 22:13:50 GMT", "X-RateLimit-Reset", "1700000060");
        for (long skew : new long[] {-3_600_000, 0, 3_600_000}) {
            RateHints hints = HintReader.standard().read(head, Head.NOW + skew);
            assertThat(hints.retryAfter()).isEqualTo(seconds(30));
            assertThat(hints.quotas().get(0).reset()).isEqualTo(seconds(60));
        }
    }

    @Test
    void rule04_aClockThatAgreesWithTheDateSaysWhichPartOfItsSecondHasPassed() {
        Head head = Head.of(200, "Date", DATE, "X-RateLimit-Remaining", "5", "X-RateLimit-Reset", "1700000060");
        assertThat(resetAt(head, -1)).isEqualTo(Duration.ofMillis(60_000));
        assertThat(resetAt(head, 0)).isEqualTo(Duration.ofMillis(60_000));
        assertThat(resetAt(head, 250)).isEqualTo(Duration.ofMillis(59_750));
        assertThat(resetAt(head, 999)).isEqualTo(Duration.ofMillis(59_001));
        assertThat(resetAt(head, 1_999)).isEqualTo(Duration.ofMillis(59_001)); // the answer took its time
        assertThat(resetAt(head, 2_000)).isEqualTo(Duration.ofMillis(60_000)); // another clock
    }

    private static Duration resetAt(Head head, long later) {
        RateHints hints = HintReader.standard().read(head, Head.NOW + later);
        return Objects.requireNonNull(hints.quotas().get(0).reset());
    }

    /** Servers cut both off in the same way. */
    @Test
    void rule04_aDateOfHttpIsComparedWithTheWholeSecondOfTheOther() {
        Head head = Head.of(429, "Date", DATE, "Retry-After", "Tue, 14 Nov 2023 22:13:50 GMT");
        for (long later : new long[] {0, 250, 999, 5_000}) {
            assertThat(HintReader.standard().read(head, Head.NOW + later).retryAfter())
                    .isEqualTo(seconds(30));
        }
    }

    @Test
    void rule04_aDateAsJavaScriptWritesIt() {
        Head head = Head.of(
                200,
                "Date",
                DATE,
                "X-RateLimit-Remaining",
                "5",
                "X-RateLimit-Reset",
                "Tue Nov 14 2023 22:13:50 GMT+0000 (Coordinated Universal Time)");
        assertThat(resetAt(head, 0)).isEqualTo(Duration.ofMillis(30_999));
    }

    @Test
    void rule04_withoutAReadableDateAnInstantIsComparedWithTheLocalClock() {
        Head head = Head.of(429, "Date", "today", "Retry-After", "Tue, 14 Nov 2023 22:13:50 GMT");
        assertThat(HintReader.standard().read(head, Head.NOW + 10_000).retryAfter())
                .isEqualTo(seconds(20));
    }

    @Test
    void rule04_whatIsPastIsZero() {
        assertThat(retryAfter("Tue, 14 Nov 2023 22:12:20 GMT")).isEqualTo(Duration.ZERO);
        assertThat(reset("1699999999")).isEqualTo(Duration.ZERO);
    }

    @Test
    void rule04_resetAfterAndTheTimeOfTheStructuredFieldAreAlwaysDeltas() {
        assertThat(Head.of(200, "X-RateLimit-Reset-After", "1700000060").quota().reset())
                .isEqualTo(seconds(1_700_000_060));
        assertThat(Head.of(200, "RateLimit", "\"a\";r=1;t=1700000060").quota().reset())
                .isEqualTo(seconds(1_700_000_060));
    }

    @Test
    void rule04_resetAfterIsPreferredToReset() {
        assertThat(Head.of(200, "X-RateLimit-Reset", "1700000060", "X-RateLimit-Reset-After", "0.5")
                        .quota()
                        .reset())
                .isEqualTo(Duration.ofMillis(500));
    }

    @Test
    void rule04_headersNamedMsAreMilliseconds() {
        assertThat(Head.of(429, "retry-after-ms", "1700000060").hints().retryAfter())
                .isEqualTo(Duration.ofMillis(1_700_000_060));
        assertThat(Head.of(429, "x-ms-retry-after-ms", "0.5").hints().retryAfter())
                .isEqualTo(Duration.ofMillis(1));
        assertThat(Head.of(200, "X-RateLimit-Reset-Ms", "1500").quota().reset()).isEqualTo(Duration.ofMillis(1500));
    }

    @Test
    void rule04_aResetInMillisecondsMayBeAnInstant() {
        assertThat(Head.of(200, "X-RateLimit-Reset-Ms", "1700000060000").quota().reset())
                .isEqualTo(seconds(60));
        assertThat(Head.of(200, "X-RateLimit-Reset-After-Ms", "2500").quota().reset())
                .isEqualTo(Duration.ofMillis(2500));
    }

    @Test
    void rule04_aResetIsKnownByAnyOfItsNames() {
        for (String name :
                List.of("Reset-At", "Reset-Time", "Reset-Timestamp", "Reset-Date", "Reset-In", "ResetTime", "Next")) {
            assertThat(Head.of(200, "X-RateLimit-" + name, "1700000060").quota())
                    .as(name)
                    .isEqualTo(new Quota(null, null, null, seconds(60), null));
        }
    }

    @Test
    void rule04_theUnitOfAResetMayBeSetForAnOrigin() {
        Head head = Head.of(200, "X-Rate-Limit-Reset", "600000").at("api.EXAMPLE.com");
        HintReader reader = HintReader.builder()
                .resetUnit("API.example.com", ResetUnit.MILLIS)
                .resetUnit("epoch", ResetUnit.EPOCH)
                .resetUnit("seconds", ResetUnit.SECONDS)
                .build();
        assertThat(reset(reader, head)).isEqualTo(seconds(600));
        assertThat(reset(reader, head.at("other"))).isEqualTo(seconds(600_000));
        assertThat(reset(reader, head.at("epoch"))).isEqualTo(Duration.ZERO);
        assertThat(reset(
                        reader, Head.of(200, "X-Rate-Limit-Reset", "1700000060").at("seconds")))
                .isEqualTo(seconds(1_700_000_060));
        assertThat(reset(HintReader.builder().resetUnit(ResetUnit.MILLIS).build(), head))
                .isEqualTo(seconds(600));
    }

    @Test
    void rule05_theLongestRetryAfterOfAllLinesAndMembersCounts() {
        assertThat(retryAfter("0,120")).isEqualTo(seconds(120));
        assertThat(retryAfter("120, 0, x, -5")).isEqualTo(seconds(120));
        assertThat(Head.of(503, "Retry-After", "0", "Retry-After", "120")
                        .hints()
                        .retryAfter())
                .isEqualTo(seconds(120));
        assertThat(Head.of(503, "Retry-After", "120", "Retry-After", "0")
                        .hints()
                        .retryAfter())
                .isEqualTo(seconds(120));
        assertThat(Head.of(503, "Retry-After", "soon", "Retry-After", "5")
                        .hints()
                        .retryAfter())
                .isEqualTo(seconds(5));
    }

    @Test
    void rule05_theCommaOfADateDoesNotSplitIt() {
        assertThat(retryAfter("Tue, 14 Nov 2023 22:14:20 GMT, 5")).isEqualTo(seconds(60));
        assertThat(retryAfter("5, Tue, 14 Nov 2023 22:14:20 GMT")).isEqualTo(seconds(60));
        assertThat(retryAfter("Tue,120")).isEqualTo(seconds(120));
    }

    @Test
    void rule05_millisecondsRefineRetryAfterButNeverShortenItByASecond() {
        assertThat(both("2", "1234")).isEqualTo(Duration.ofMillis(1234));
        assertThat(both("2", "1001")).isEqualTo(Duration.ofMillis(1001));
        assertThat(both("2", "1000")).isEqualTo(seconds(2));
        assertThat(both("2", "500")).isEqualTo(seconds(2));
        assertThat(both("2", "9000")).isEqualTo(seconds(9));
        assertThat(both("x", "9000")).isEqualTo(seconds(9));
        assertThat(both("2", "x")).isEqualTo(seconds(2));
    }

    @Test
    void rule05_otherSpellingsCountOnlyWhereRetryAfterIsMissing() {
        for (String name : List.of(
                "X-Retry-After",
                "X-RateLimit-Retry-After",
                "X-Rate-Limit-Retry-After",
                "RateLimit-Retry-After",
                "X-Retry-In",
                "retry_after")) {
            assertThat(Head.of(429, name, "45").hints().retryAfter()).as(name).isEqualTo(seconds(45));
            assertThat(Head.of(429, name, "45", "Retry-After", "5").hints().retryAfter())
                    .as(name)
                    .isEqualTo(seconds(5));
            assertThat(Head.of(429, name, "45", "Retry-After", "x").hints().retryAfter())
                    .as(name)
                    .isEqualTo(seconds(45));
        }
    }

    @Test
    void rule06_whatIsNegativeOrUnreadableIsUnknown() {
        Quota quota = Head.of(200, "X-RateLimit-Limit", "-1", "X-RateLimit-Remaining", "-1", "X-RateLimit-Reset", "5")
                .quota();
        assertThat(quota).isEqualTo(new Quota(null, null, null, seconds(5), null));
        assertThat(Head.of(200, "X-RateLimit-Remaining", "NaN", "X-RateLimit-Limit", "")
                        .hints())
                .isSameAs(RateHints.NONE);
        assertThat(reset("-3s")).isNull();
    }

    @Test
    void rule06_onlyALiteralZeroIsExhausted() {
        assertThat(Head.of(200, "X-RateLimit-Remaining", "0").quota().isExhausted())
                .isTrue();
        assertThat(Head.of(200, "X-RateLimit-Remaining", "0.7").quota().isExhausted())
                .isTrue();
        assertThat(Head.of(200, "X-RateLimit-Limit", "5", "X-RateLimit-Remaining", "-0")
                        .quota()
                        .isExhausted())
                .isFalse();
        assertThat(Head.of(200, "X-RateLimit-Limit", "5", "X-RateLimit-Remaining", "\uff10")
                        .quota()
                        .isExhausted())
                .isFalse();
    }

    @Test
    void rule07_aValidStructuredFieldSilencesTheOlderSpellings() {
        Head old = Head.of(200, "X-RateLimit-Limit", "10", "X-RateLimit-Remaining", "7", "RateLimit-Remaining", "7");
        assertThat(old.with("RateLimit", "\"default\";r=7;t=9").quota().policy())
                .isEqualTo("default");
        assertThat(old.with("RateLimit", "limit=10, remaining=7").hints().quotas())
                .hasSize(1);
        assertThat(old.with("RateLimit", "\"default\";r=7;t=").quota()).isEqualTo(new Quota(null, 10L, 7L, null, null));
        assertThat(old.with("RateLimit", "").quota()).isEqualTo(new Quota(null, 10L, 7L, null, null));
    }

    @Test
    void rule07_equalNumbersInTwoSpellingsAreOneQuotaAndDifferentOnesTwo() {
        assertThat(Head.of(
                                200,
                                "X-RateLimit-Limit",
                                "10",
                                "RateLimit-Limit",
                                "10",
                                "X-RateLimit-Remaining",
                                "3",
                                "RateLimit-Remaining",
                                "3",
                                "X-RateLimit-Reset",
                                "9")
                        .quota())
                .isEqualTo(new Quota(null, 10L, 3L, seconds(9), null));
        assertThat(Head.of(200, "X-Rate-Limit-Limit", "10", "X-RateLimit-Limit", "20", "RateLimit-Limit", "30")
                        .hints()
                        .quotas())
                .extracting(Quota::limit)
                .containsExactly(30L, 20L, 10L);
    }

    @Test
    void rule07_theNewestSpellingTellsTheReset() {
        assertThat(Head.of(
                                200,
                                "X-RateLimit-Limit",
                                "10",
                                "X-RateLimit-Reset",
                                "5",
                                "RateLimit-Limit",
                                "10",
                                "RateLimit-Reset",
                                "6")
                        .quota()
                        .reset())
                .isEqualTo(seconds(6));
    }

    @Test
    void rule07_groupsInTheNameAreQuotasOfTheirOwnAndMayNameTheWindow() {
        List<Quota> quotas = Head.of(
                        200,
                        "X-RateLimit-Remaining-Requests",
                        "1",
                        "X-RateLimit-Minute-Remaining",
                        "2",
                        "anthropic-ratelimit-tokens-remaining",
                        "3",
                        "x-sib-ratelimit-remaining",
                        "4",
                        "X-RateLimit-Remaining-Tokens-Day",
                        "5")
                .hints()
                .quotas();
        assertThat(quotas)
                .containsExactly(
                        new Quota("requests", null, 1L, null, null),
                        new Quota("minute", null, 2L, null, seconds(60)),
                        new Quota("tokens", null, 3L, null, null, "tokens", null),
                        new Quota("sib", null, 4L, null, null),
                        new Quota("tokens-day", null, 5L, null, Duration.ofDays(1), "tokens", null));
    }

    @Test
    void rule08_aLimitMayNameItsWindowAndThePoliciesBehindIt() {
        assertThat(Head.of(200, "RateLimit-Limit", "100;w=60").quota())
                .isEqualTo(new Quota(null, 100L, null, null, seconds(60)));
        assertThat(Head.of(200, "RateLimit-Limit", "10, 10;w=1, 50;w=60")
                        .hints()
                        .quotas())
                .containsExactly(
                        new Quota(null, 10L, null, null, seconds(1)), new Quota(null, 50L, null, null, seconds(60)));
        assertThat(Head.of(200, "RateLimit-Limit", "10, 10;w=1, 10;w=60")
                        .hints()
                        .quotas())
                .extracting(Quota::window)
                .containsExactly(null, seconds(1), seconds(60));
        for (String doubled : List.of("10, 10;w=1, 10;w=1", "10, 10;w=1, 10, 10;w=1")) {
            assertThat(Head.of(200, "RateLimit-Limit", doubled).hints().quotas())
                    .as(doubled)
                    .containsExactly(new Quota(null, 10L, null, null, seconds(1)));
        }
        assertThat(Head.of(200, "RateLimit-Policy", "10;w=1, 10;w=1").hints().quotas())
                .containsExactly(new Quota(null, 10L, null, null, seconds(1)));
        assertThat(Head.of(200, "RateLimit-Limit", "100;w=60;").quota().limit()).isEqualTo(100);
        assertThat(Head.of(200, "RateLimit-Limit", "10;w=0").quota().window()).isNull();
    }

    @Test
    void rule08_ofDuplicatesTheStricterCounts() {
        Quota expected = new Quota(null, 20L, 0L, seconds(40), null);
        assertThat(Head.of(
                                200,
                                "X-RateLimit-Remaining",
                                "50, 0",
                                "X-RateLimit-Limit",
                                "100, 20",
                                "X-RateLimit-Reset",
                                "40, 10")
                        .quota())
                .isEqualTo(expected);
        assertThat(Head.of(
                                200,
                                "X-RateLimit-Remaining",
                                "50",
                                "X-RateLimit-Remaining",
                                "0",
                                "X-RateLimit-Limit",
                                "20",
                                "X-RateLimit-Limit",
                                "100",
                                "X-RateLimit-Reset",
                                "40",
                                "X-RateLimit-Reset",
                                "10")
                        .quota())
                .isEqualTo(expected);
        assertThat(Head.of(200, "RateLimit", "\"a\";r=5;t=1,\"a\";r=2;t=9").quota())
                .isEqualTo(new Quota("a", null, 2L, seconds(9), null));
    }

    @Test
    void rule09_aQuotaIsKnownByNameAndPartition() {
        List<Quota> quotas = Head.of(
                        200,
                        "RateLimit-Policy",
                        "\"a\";q=10;w=1;pk=:YQ==:, \"a\";q=20;w=2;pk=:Yg==:",
                        "RateLimit",
                        "\"a\";r=5;pk=:Yg==:, \"a\";r=6;pk=:YQ==:")
                .hints()
                .quotas();
        assertThat(quotas)
                .containsExactly(
                        new Quota("a", 20L, 5L, null, seconds(2), Quota.REQUESTS, "Yg=="),
                        new Quota("a", 10L, 6L, null, seconds(1), Quota.REQUESTS, "YQ=="));
        assertThat(quotas.get(0).isSameAs(quotas.get(1))).isFalse();
    }

    @Test
    void rule09_theNameComesFromTheItemOrFromAHeader() {
        for (String name : List.of("X-RateLimit-Resource", "X-RateLimit-Bucket", "X-RateLimit-Name")) {
            assertThat(Head.of(200, "X-RateLimit-Remaining", "1", name, "core")
                            .quota()
                            .policy())
                    .as(name)
                    .isEqualTo("core");
        }
        assertThat(Head.of(200, "RateLimit-Remaining", "1", "RateLimit-Name", "web")
                        .quota()
                        .policy())
                .isEqualTo("web");
        assertThat(Head.of(200, "RateLimit", "plain;r=1").quota().policy()).isEqualTo("plain");
    }

    @Test
    void rule09_otherUnitsThanRequestsAreKeptButNotSpent() {
        RateHints hints = Head.of(
                        200,
                        "RateLimit-Policy",
                        "\"b\";q=100;qu=\"content-bytes\";w=10, \"r\";q=10;qu=\"request\"",
                        "RateLimit",
                        "\"b\";r=1, \"r\";r=9")
                .hints();
        assertThat(hints.quotas()).extracting(Quota::unit).containsExactly("content-bytes", Quota.REQUESTS);
        assertThat(hints.scarcest()).isEqualTo(hints.quotas().get(1));
    }

    @Test
    void rule10_quotasOfCachedResponsesAreIgnored() {
        Head fresh = Head.of(429, "X-RateLimit-Remaining", "0", "RateLimit", "\"a\";r=0", "Retry-After", "5");
        assertThat(fresh.with("Age", "0").hints().quotas()).hasSize(1);
        assertThat(fresh.with("Age", "1").hints()).isEqualTo(new RateHints(seconds(5), List.of()));
        assertThat(fresh.with("Age", "x").hints().quotas()).hasSize(1);
    }

    @Test
    void precedence_retryAfterThenExhaustedQuotasThenTheFloor() {
        Head head = Head.of(403, "x-github-request-id", "1", "x-ratelimit-limit", "9");
        assertThat(head.hints().refusalWait()).isEqualTo(seconds(60));
        Head exhausted = head.with("x-ratelimit-remaining", "0").with("x-ratelimit-reset", "1700000900");
        assertThat(exhausted.hints().refusalWait()).isEqualTo(seconds(900));
        assertThat(exhausted.with("Retry-After", "7").hints().refusalWait()).isEqualTo(seconds(7));
    }

    @Test
    void precedence_theLastOfTheExhaustedQuotasCounts() {
        RateHints hints = Head.of(429, "RateLimit", "\"a\";r=0;t=5, \"b\";r=0;t=50, \"c\";r=1;t=500, \"d\";r=0")
                .hints();
        assertThat(hints.refusalWait()).isEqualTo(seconds(50));
    }

    @Test
    void pace_neitherWhatIsLeftNorThePolicyIsExceeded() {
        Head stretched = Head.of(200, "RateLimit-Policy", "\"p\";q=10000;w=1000", "RateLimit", "\"p\";r=10000;t=10");
        assertThat(stretched.quota().unitsPerSecond()).isEqualTo(10.0);
        assertThat(Head.of(200, "X-RateLimit-Limit", "10", "X-RateLimit-Remaining", "5000", "X-RateLimit-Reset", "5")
                        .quota()
                        .unitsPerSecond())
                .isEqualTo(2.0);
        assertThat(Head.of(200, "RateLimit", "\"a\";r=5;t=0").quota().unitsPerSecond())
                .isNull();
        assertThat(Head.of(200, "RateLimit", "\"a\";r=0;t=5").quota().unitsPerSecond())
                .isZero();
    }

    @Test
    void bounds_valuesOverOneKibibyteAreIgnored() {
        assertThat(retryAfter("0".repeat(1023) + "5")).isEqualTo(seconds(5));
        assertThat(retryAfter("0".repeat(1024) + "5")).isNull();
    }

    @Test
    void bounds_listsOfMoreThanSixteenMembersAreIgnored() {
        assertThat(retryAfter("5" + ",5".repeat(14) + ",6,7"))
                .as("of times the first sixteen are read")
                .isEqualTo(seconds(6));
        assertThat(Head.of(200, "RateLimit", "\"a\";r=1" + ",\"a\";r=1".repeat(16))
                        .hints())
                .isSameAs(RateHints.NONE);
        assertThat(Head.of(200, "X-RateLimit-Remaining", "5" + ",5".repeat(16)).hints())
                .isSameAs(RateHints.NONE);
    }

    @Test
    void bounds_noMoreThanSixteenQuotasAreKept() {
        Head head = Head.of(200);
        for (int i = 0; i < 100; i++) {
            head = head.with("X-RateLimit-Remaining-G" + i, "1");
        }
        assertThat(head.hints().quotas()).hasSize(16);
    }

    @Test
    void aResponseThatSaysNothingHasTheOneEmptyHints() {
        assertThat(Head.of(
                                200,
                                "Date",
                                DATE,
                                "Content-Type",
                                "text/html",
                                "Limit",
                                "5",
                                "X-Rated",
                                "yes",
                                "Age",
                                "5",
                                "X",
                                "")
                        .hints())
                .isSameAs(RateHints.NONE);
    }

    private static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    private static @Nullable Duration retryAfter(String value) {
        return Head.of(429, "Retry-After", value).hints().retryAfter();
    }

    private static @Nullable Duration both(String standard, String millis) {
        return Head.of(429, "Retry-After", standard, "retry-after-ms", millis)
                .hints()
                .retryAfter();
    }

    private static @Nullable Duration reset(String value) {
        return reset(HintReader.standard(), Head.of(200, "X-RateLimit-Remaining", "1", "X-RateLimit-Reset", value));
    }

    private static @Nullable Duration reset(HintReader reader, Head head) {
        return reader.read(head, Head.NOW).quotas().get(0).reset();
    }
}
