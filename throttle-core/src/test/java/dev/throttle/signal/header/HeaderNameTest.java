package dev.throttle.signal.header;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeaderNameTest {

    @Test
    void aNameIsTakenApartOnce() {
        HeaderName first = HeaderName.of("X-RateLimit-Remaining");

        assertThat(first.lower()).isEqualTo("x-ratelimit-remaining");
        assertThat(first.quota()).isEqualTo(new QuotaName(QuotaName.Family.X_RATELIMIT, null, Field.REMAINING));
        assertThat(HeaderName.of(new String("X-RateLimit-Remaining"))).isSameAs(first);
    }

    @Test
    void anotherSpellingIsAnotherNameThatMeansTheSame() {
        HeaderName lower = HeaderName.of("x-ratelimit-reset");

        assertThat(HeaderName.of("X-RATELIMIT-RESET").quota()).isEqualTo(lower.quota());
    }

    @Test
    void namesThatTakeEachOthersPlaceAreNeverMixedUp() {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 2000; i++) {
                String name = "X-RateLimit-Limit-Policy" + i;

                assertThat(HeaderName.of(name).quota())
                        .isEqualTo(new QuotaName(QuotaName.Family.X_RATELIMIT, "policy" + i, Field.LIMIT));
            }
        }
    }

    @Test
    void longNamesAreReadButNotRemembered() {
        String name = "X-RateLimit-Limit-" + "a".repeat(50);

        assertThat(HeaderName.of(name)).isEqualTo(HeaderName.of(name)).isNotSameAs(HeaderName.of(name));
    }

    @Test
    void namesThatTellNothingAboutLimitsAreLeftOutEachTime() {
        for (int i = 0; i < 2; i++) {
            assertThat(HeaderName.of("X-Request-Id")).isNull();
            assertThat(HeaderName.of("X-Rate-Plan")).isNull();
            assertThat(HeaderName.of("beta-ratelimit-limit")).isNull();
        }
    }

    /** They differ in few characters; each of them is sent with every response. */
    @Test
    void theNamesOfOneVendorAreAllRemembered() {
        List<String> names = new ArrayList<>();
        for (String unit : List.of("requests", "tokens", "input-tokens", "output-tokens")) {
            for (String field : List.of("limit", "remaining", "reset")) {
                names.add("anthropic-ratelimit-" + unit + "-" + field);
            }
        }
        List<HeaderName> first = names.stream().map(HeaderName::of).toList();

        for (int i = 0; i < names.size(); i++) {
            assertThat(HeaderName.of(names.get(i))).isSameAs(first.get(i));
        }
    }
}
