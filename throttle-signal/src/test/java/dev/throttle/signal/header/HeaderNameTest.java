package dev.throttle.signal.header;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeaderNameTest {

    @Test
    void aNameIsTakenApart() {
        HeaderName name = HeaderName.of("X-RateLimit-Remaining");

        assertThat(name.lower()).isEqualTo("x-ratelimit-remaining");
        assertThat(name.quota()).isEqualTo(new QuotaName(QuotaName.Family.X_RATELIMIT, null, Field.REMAINING));
    }

    @Test
    void anotherSpellingIsAnotherNameThatMeansTheSame() {
        HeaderName lower = HeaderName.of("x-ratelimit-reset");

        assertThat(HeaderName.of("X-RATELIMIT-RESET").quota()).isEqualTo(lower.quota());
    }

    @Test
    void anyNumberOfNamesIsTakenApart() {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 2000; i++) {
                assertThat(HeaderName.of("X-RateLimit-Limit-Policy" + i).quota())
                        .isEqualTo(new QuotaName(QuotaName.Family.X_RATELIMIT, "policy" + i, Field.LIMIT));
            }
        }
    }

    @Test
    void namesThatTellNothingAboutLimitsAreLeftOut() {
        assertThat(HeaderName.of("X-Request-Id")).isNull();
        assertThat(HeaderName.of("X-Rate-Plan")).isNull();
        assertThat(HeaderName.of("beta-ratelimit-limit")).isNull();
    }
}
