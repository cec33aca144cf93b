package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.internal.StandardLabels;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a key is shown as if the program does not say. */
class StandardLabelsTest {

    private static final String HASH = "#[0-9a-f]{12}";

    private final Function<String, String> labels = new StandardLabels();

    @ParameterizedTest
    @CsvSource({
        "api.github.com Bearer abc, api.github.com Bearer {}",
        "api.github.com token ghp_SECRET123, api.github.com token {}",
        "api.github.com ghp_SECRET123, api.github.com {}",
        "api.example.com Basic dXNlcjpwYXNz, api.example.com Basic {}",
        "https://user:pass@example.com:443, https://{}@example.com:443",
        "https://example.com:443?api_key=abc&page=1, https://example.com:443?api_key={}&page=1",
        "api.openai.com sk-proj-abc_DEF-123 gpt-4.1, api.openai.com {} gpt-4.1",
        "host eyJhbGciOi.eyJzdWIi.abc_d-e, host {}",
        "host 0123456789abcdef0123456789abcdef, host {}",
        "AKIAIOSFODNN7EXAMPLE, {}",
        "host X-Api-Key: abc tenant, host X-Api-Key: {} tenant",
    })
    void aHashStandsForWhatLooksLikeACredential(String key, String label) {
        String[] parts = label.split("\\{}", -1);
        assertThat(labels.apply(key))
                .startsWith(parts[0])
                .endsWith(parts[1])
                .matches(Pattern.quote(parts[0]) + HASH + Pattern.quote(parts[1]));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://api.github.com:443",
                "https://a1b2c3d4e5f6g7h8i9j0k1l2.execute-api.us-east-1.amazonaws.com:443",
                "api.github.com octocat",
                "orders-service-7d9f8b6c5d-x2x9z",
                "host 123e4567-e89b-12d3-a456-426614174000",
                "GET /repos/{owner}/{repo}/commits",
                "account 1234567890123456789012345",
                "internationalization-service",
                "tokens",
                "api.example.com/v1/tokenizer",
                "",
            })
    void otherKeysAreShownAsTheyAre(String key) {
        assertThat(labels.apply(key)).isEqualTo(key);
    }

    @Test
    void differentCredentialsHaveDifferentLabelsAndEqualOnesTheSame() {
        assertThat(labels.apply("host Bearer a")).isNotEqualTo(labels.apply("host Bearer b"));
        assertThat(labels.apply("host Bearer a")).isEqualTo(new StandardLabels().apply("host Bearer a"));
    }

    @Test
    void itIsTheDefaultOfARegistryAndALabelOfTheProgramGoesBeforeIt() {
        assertThat(ThrottleRegistry.create().get("host Bearer secret").label()).doesNotContain("secret");
        assertThat(ThrottleRegistry.builder()
                        .label(key -> "own " + key)
                        .build()
                        .get("host Bearer secret")
                        .label())
                .isEqualTo("own host Bearer secret");
    }
}
