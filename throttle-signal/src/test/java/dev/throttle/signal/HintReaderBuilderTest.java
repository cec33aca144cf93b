package dev.throttle.signal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class HintReaderBuilderTest {

    private static final Duration HALF_A_MINUTE = Duration.ofSeconds(30);

    @Test
    void aFloorIsKnownOfRefusalsOfItsHost() {
        HintReader reader =
                HintReader.builder().floor("WWW.example.com", HALF_A_MINUTE).build();
        Head refused = Head.of(429).at("www.EXAMPLE.com");
        assertThat(reader.read(refused, Head.NOW).refusalWait()).isEqualTo(HALF_A_MINUTE);
        assertThat(reader.read(refused.at("other"), Head.NOW)).isSameAs(RateHints.NONE);
        assertThat(reader.read(Head.of(200).at("www.example.com"), Head.NOW)).isSameAs(RateHints.NONE);
    }

    @Test
    void aFloorForAllHostsReplacesThatOfGitHub() {
        HintReader reader = HintReader.builder().floor(HALF_A_MINUTE).build();
        assertThat(reader.read(Head.of(429, "X-GitHub-Request-Id", "1"), Head.NOW)
                        .refusalWait())
                .isEqualTo(HALF_A_MINUTE);
        assertThat(reader.read(Head.of(503), Head.NOW).refusalWait()).isEqualTo(HALF_A_MINUTE);
    }

    @Test
    void aFloorDoesNotMakeARefusal() {
        HintReader reader = HintReader.builder().floor(HALF_A_MINUTE).build();
        Head head = Head.of(403);
        assertThat(Classifier.standard().classify(head, reader.read(head, Head.NOW)))
                .isEqualTo(Outcome.SUCCESS);
    }

    @Test
    void aReaderOfOnesOwnMayFallBackOnTheStandardOne() {
        HintReader reader = (response, receivedAtMillis) -> {
            List<String> left = response.headers("X-Quota-Left");
            return left.equals(List.of("none"))
                    ? new RateHints(Duration.ofMinutes(1), List.of())
                    : HintReader.standard().read(response, receivedAtMillis);
        };
        assertThat(reader.read(Head.of(429, "x-quota-left", "none"), Head.NOW).retryAfter())
                .isEqualTo(Duration.ofMinutes(1));
        assertThat(reader.read(Head.of(429, "Retry-After", "5"), Head.NOW).retryAfter())
                .isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void aSettingSaysWhatItAccepts() {
        HintReader.Builder builder = HintReader.builder();
        assertThatThrownBy(() -> builder.floor(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("floor must be");
    }
}
