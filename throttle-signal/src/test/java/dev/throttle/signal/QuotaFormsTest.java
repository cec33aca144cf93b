package dev.throttle.signal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.header.Readings;
import org.junit.jupiter.api.Test;

/** Forms in which servers tell about several quotas at once, or about one in several headers. */
class QuotaFormsTest {

    private static void reads(Head head, String... readings) {
        assertThat(Readings.of(head.hints())).containsExactly(readings);
    }

    @Test
    void whatRemainsOfEachPolicyStandsInTheSameForm() {
        reads(
                Head.of(
                        200,
                        "X-RateLimit-Limit",
                        "50, 20;window=1, 300;window=60",
                        "X-RateLimit-Remaining",
                        "49, 19;window=1, 299;window=60"),
                "quota 1s limit=20 remaining=19 window=1s",
                "quota 1m limit=300 remaining=299 window=60s");
        reads(
                Head.of(200, "X-RateLimit-Limit", "9, 20;w=1, 300;w=60", "X-RateLimit-Remaining", "19;w=2, 299;w=60"),
                "quota - limit=9 remaining=19",
                "quota - limit=20 window=1s",
                "quota - limit=300 window=60s");
    }

    /** What remains of an hour is no part of a limit for a second. */
    @Test
    void moreThanALimitDoesNotRemainOfIt() {
        reads(
                Head.of(
                        200,
                        "X-RateLimit-Limit-Second",
                        "10",
                        "X-RateLimit-Remaining",
                        "4999",
                        "X-RateLimit-Reset",
                        "3000"),
                "quota - remaining=4999 reset=3000s",
                "quota second limit=10 window=1s");
    }

    @Test
    void namesOfQuotasStandInTheValues() {
        reads(
                Head.of(
                        200,
                        "X-RateLimit-Limit",
                        "name=per-minute,100;name=per-hour,1000;",
                        "X-RateLimit-Remaining",
                        "name=per-minute,99;name=per-hour,x;name;=7"),
                "quota per-minute limit=100 remaining=99 window=60s",
                "quota per-hour limit=1000 window=3600s");
    }

    @Test
    void namesOfWindowsStandInTheValues() {
        reads(
                Head.of(200, "X-RateLimit-Limit", "{\"minute\": 10}", "X-RateLimit-Remaining", "{'minute': 9}"),
                "quota minute limit=10 remaining=9 window=60s");
    }

    @Test
    void whatIsUsedOfALimitStandsBesideItsReset() {
        reads(
                Head.of(200, "X-Rate-Limit", "token:A 1/2000 reset=3598s, key:B 12/2000 reset=3s, other:C x/y reset=9"),
                "quota token limit=2000 remaining=1999 reset=3598s",
                "quota key limit=2000 remaining=1988 reset=3s");
    }

    @Test
    void aNamedLimitAndWhatRemainsWithoutANameAreOneQuota() {
        reads(
                Head.of(
                        200,
                        "X-RateLimit-Limit-Minute",
                        "60",
                        "X-RateLimit-Remaining",
                        "59",
                        "X-RateLimit-Reset",
                        "20"),
                "quota minute limit=60 remaining=59 reset=20s window=60s");
        reads(
                Head.of(200, "X-RateLimit-Limit-Tokens", "60", "X-RateLimit-Remaining", "59"),
                "quota - remaining=59",
                "quota tokens limit=60 unit=tokens");
        reads(
                Head.of(200, "X-RateLimit-Limit-Minute", "60", "RateLimit-Remaining", "59"),
                "quota - remaining=59",
                "quota minute limit=60 window=60s");
    }

    @Test
    void anOlderSpellingOfAVendorsStructuredFieldIsLeftOut() {
        reads(
                Head.of(200, "Beta-RateLimit", "\"a\";r=5;t=9", "X-Beta-RateLimit-Remaining", "7"),
                "quota a remaining=5 reset=9s unit=points");
        reads(Head.of(200, "X-Beta-RateLimit-Remaining", "7"), "quota beta remaining=7 unit=points");
    }

    @Test
    void namesOfProgramsAreReadLikeNamesOfHeaders() {
        reads(Head.of(429, "retry_after", "7"), "wait 7s");
        reads(
                Head.of(200, "HTTP_X_RATELIMIT_LIMIT", "100", "http_x_ratelimit_account_success_remaining", "3"),
                "quota - limit=100",
                "quota account-success remaining=3");
    }

    @Test
    void aNumberBeforeAWindowCountsIt() {
        reads(Head.of(200, "X-RateLimit-Limit-24-Hour", "9"), "quota 24-hour limit=9 window=86400s");
        reads(Head.of(200, "X-RateLimit-Limit-Audio-Seconds", "9"), "quota audio-seconds limit=9 unit=audio-seconds");
    }
}
