package dev.throttle.signal.header;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.header.HeaderName.Family;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What names of headers tell by the words of which they consist. */
class HeaderTableTest {

    private final HeaderTable table = VendorFile.table(List.of());

    private void reads(String name, Meaning meaning, Family family, String group) {
        HeaderName read = table.name(name);
        assertThat(read.meaning()).as(name).isEqualTo(meaning);
        assertThat(read.family()).as(name).isEqualTo(family);
        assertThat(read.group()).as(name).isEqualTo(group);
    }

    @Test
    void aNameIsTakenApart() {
        reads("X-RateLimit-Remaining", Meaning.REMAINING, Family.X_RATELIMIT, null);
        reads("RateLimit-Limit", Meaning.LIMIT, Family.RATELIMIT, null);
        reads("X-Rate-Limit", Meaning.QUOTA, Family.X_RATE_LIMIT, null);
        reads("anthropic-ratelimit-tokens-reset", Meaning.RESET, Family.VENDOR, "tokens");
        reads("x-sib-ratelimit-reset", Meaning.RESET, Family.VENDOR, "sib");
        reads("X-RateLimit-Limit-Second", Meaning.LIMIT, Family.X_RATELIMIT, "second");
        reads("X-RateLimit-Minute-Remaining", Meaning.REMAINING, Family.X_RATELIMIT, "minute");
    }

    @Test
    void aScopeMayStandAnywhere() {
        reads("X-RateLimit-PathRemaining", Meaning.REMAINING, Family.X_RATELIMIT, "path");
        reads("X-RateLimit-UserLimit", Meaning.LIMIT, Family.X_RATELIMIT, "user");
        reads("X-Sentry-Rate-Limit-ConcurrentLimit", Meaning.LIMIT, Family.VENDOR, "concurrent");
        reads("X-ReadRateLimit-Usage", Meaning.USED, Family.VENDOR, "read");
        reads("ratelimitbysize-remaining", Meaning.REMAINING, Family.VENDOR, "bysize");
        reads("X-DayLimit-Limit", Meaning.LIMIT, Family.VENDOR, "day");
        reads("Concurrency-Limit-Remaining", Meaning.REMAINING, Family.VENDOR, "concurrency");
        reads("X-RateLimit-Limit-User-Remaining", Meaning.REMAINING, Family.X_RATELIMIT, "user");
        reads("X-Ratelimit-App-Global-Minute-Reset", Meaning.RESET, Family.X_RATELIMIT, "app-global-minute");
        assertThat(table.name("X-HourLimit-Remaining").window()).isEqualTo(3_600_000);
    }

    @Test
    void aWaitIsOneWhateverStandsAroundIt() {
        for (String name : List.of(
                "X-Retry-After", "X-Rate-Limit-Retry-After-Seconds", "Retry-After-short", "X-RateLimit-Retry-After")) {
            assertThat(table.name(name).meaning()).as(name).isEqualTo(Meaning.WAIT);
        }
        assertThat(table.name("X-Rate-Limit-Retry-After-Milliseconds").meaning())
                .isEqualTo(Meaning.WAIT_MILLIS);
        assertThat(table.name("Retry-After").meaning()).isEqualTo(Meaning.RETRY_AFTER);
    }

    @Test
    void tokensOfAnApiAreNotThoseOfAModel() {
        assertThat(table.name("x-rate-limit-api-token-remaining").unit()).isEqualTo("requests");
        assertThat(table.name("x-ratelimit-remaining-tokens").unit()).isEqualTo("tokens");
        assertThat(table.name("x-ratelimit-remaining-tokens_usage_based").unit())
                .isEqualTo("tokens");
        assertThat(table.name("x-ratelimit-remaining-input-tokens").unit()).isEqualTo("input-tokens");
    }

    @Test
    void anotherSpellingIsAnotherNameThatMeansTheSame() {
        HeaderName lower = table.name("x-ratelimit-reset");
        assertThat(table.name("X-RATELIMIT-RESET").as("x-ratelimit-reset")).isEqualTo(lower);
        assertThat(table.name("x-ratelimit-reset")).isSameAs(lower);
    }

    @Test
    void anyNumberOfNamesIsTakenApart() {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 2000; i++) {
                reads("X-RateLimit-Limit-Policy" + i, Meaning.LIMIT, Family.X_RATELIMIT, "policy" + i);
            }
        }
    }

    @Test
    void namesThatTellNothingAboutLimitsAreLeftOut() {
        for (String name : List.of(
                "X-Request-Id",
                "X-Rate-Plan",
                "X-Pagination-Limit",
                "X-Pagination-Remaining",
                "Limit",
                "X-Storage-Quota-Remaining",
                "X-Retry-Count",
                "-",
                "--",
                "")) {
            assertThat(table.name(name).meaning()).as(name).isEqualTo(Meaning.IGNORED);
        }
    }
}
