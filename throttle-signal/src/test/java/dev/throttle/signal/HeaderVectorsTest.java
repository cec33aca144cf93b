package dev.throttle.signal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Header sets of real servers and of hostile ones, with what they are to be understood as. */
class HeaderVectorsTest {

    static Stream<Vector> vectors() {
        return Vector.all().stream();
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void aVectorIsUnderstoodAsExpected(Vector vector) {
        RateHints hints = HintReader.standard().read(vector.head(), vector.receivedAt());

        assertThat(Classifier.standard().classify(vector.head(), hints).isRefusal())
                .isEqualTo(vector.throttled());
        assertThat(millis(hints.retryAfter())).isEqualTo(vector.retryAfterMillis());
        assertThat(policies(hints)).isEqualTo(vector.policies());
    }

    private static List<Map<String, @Nullable Object>> policies(RateHints hints) {
        List<Map<String, @Nullable Object>> policies = new ArrayList<>();
        for (Quota quota : hints.quotas()) {
            Map<String, @Nullable Object> policy = new LinkedHashMap<>();
            policy.put("name", quota.policy());
            policy.put("limit", quota.limit());
            policy.put("remaining", quota.remaining());
            policy.put("resetMillis", millis(quota.reset()));
            policy.put("windowMillis", millis(quota.window()));
            policies.add(policy);
        }
        return policies;
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : Long.valueOf(duration.toMillis());
    }
}
