package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.internal.KeyPattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which keys a pattern means. */
class KeyPatternTest {

    @ParameterizedTest
    @CsvSource({
        "api.github.com,            https://api.github.com:443,     true",
        "api.github.com,            http://api.github.com:8080,     true",
        "API.GitHub.com,            https://api.github.com:443,     true",
        "api.github.com,            https://xapi.github.com:443,    false",
        "api.github.com,            https://api.github.com.evil:443, false",
        "api.github.com,            api.github.com,                 true",
        "api.github.com,            api.github.com alice,           false",
        "api.github.com *,          api.github.com alice,           true",
        "*.openai.com,              https://api.openai.com:443,     true",
        "*.openai.com,              https://eu.api.openai.com:443,  true",
        "*.openai.com,              https://openai.com:443,         false",
        "*.openai.com,              https://notopenai.com:443,      false",
        "localhost:8080,            http://localhost:8080,          true",
        "localhost:8080,            http://localhost:80,            false",
        "localhost,                 http://localhost:80,            true",
        "*:8080,                    http://other:8080,              true",
        "localhost:*,               http://localhost:99,            true",
        "https://api.github.com,    https://api.github.com:443,     true",
        "https://api.github.com,    http://api.github.com:80,       false",
        "HTTPS://Api.github.com:443, https://api.github.com:443,    true",
        "http://*.example.com:*,    http://a.example.com:81,        true",
        "[::1],                     http://[::1]:80,                true",
        "[::1]:8080,                http://[::1]:8080,              true",
        "[::1]:8080,                http://[::1]:80,                false",
        "my_host,                   http://my_host:80,              true",
        "*,                         https://api.github.com:443,     true",
        "*,                         anything at all,                true",
        "tenant:4*,                 tenant:42,                      true",
        "tenant:42,                 Tenant:42,                      false",
        "tenant:123456,             tenant:123456,                  true",
        "a*b*c,                     aXbYbZc,                        true",
        "a*b*c,                     aXbYbZ,                         false",
        "https://x.com:443 *,       https://x.com:443 alice,        true"
    })
    void aPatternMeansTheHostOfAnOriginAndTheWholeOfAnyOtherKey(String pattern, String key, boolean matches) {
        assertThat(new KeyPattern(pattern).test(key)).isEqualTo(matches);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " api.github.com",
                "api.github.com ",
                ".github.com",
                "api.github.com:",
                ":8080",
                "::1",
                "2001:db8::1",
                "[::1",
                "[]",
                "localhost:65536",
                "https://",
                "://x",
                "https://api.github.com/",
                "https://api.github.com/repos/*",
                "https://alice@api.github.com"
            })
    void whatCanMeanNoKeyIsRefused(String pattern) {
        assertThatThrownBy(() -> new KeyPattern(pattern))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("forKeys pattern must be ")
                .hasMessageEndingWith("but was '" + pattern + "'");
    }

    @ParameterizedTest
    @CsvSource({
        "*,                 api.github.com,             true",
        "*.example.com,     api.example.com,            true",
        "*.example.com,     *.eu.example.com,           true",
        "*.example.com,     api.example.com:8443,       true",
        "*.example.com,     https://api.example.com,    true",
        "*:443,             https://api.example.com,    true",
        "*:80,              https://api.example.com,    false",
        "api.example.com,   *.example.com,              false",
        "*.example.com,     example.com,                false",
        "localhost:80,      localhost,                  false",
        "https://a.com,     a.com,                      false",
        "https://a.com,     https://a.com:443,          true",
        "https://*,         https://a.com:8443,         false"
    })
    void itIsKnownWhenAPatternLeavesNothingToALaterOne(String early, String late, boolean covers) {
        assertThat(new KeyPattern(early).covers(new KeyPattern(late))).isEqualTo(covers);
    }
}
