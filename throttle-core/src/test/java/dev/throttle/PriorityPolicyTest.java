package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.throttle.client.CallStarter;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The settings of priorities. */
class PriorityPolicyTest {

    private final PriorityPolicy standard = PriorityPolicy.standard();

    @Test
    void theStandardPolicyKeepsNothingBack() {
        assertThat(standard.weights())
                .isEqualTo(Map.of(Priority.INTERACTIVE, 16, Priority.NORMAL, 4, Priority.BATCH, 1));
        assertThat(standard.promoteAfter()).isEqualTo(Duration.ofMinutes(1));
        assertThat(standard.reserves().values()).containsOnly(0.0);
    }

    @Test
    void oneSettingLeavesTheOthers() {
        PriorityPolicy changed =
                standard.weights(3, 2, 1).promoteAfter(Duration.ofSeconds(5)).reserve(Priority.BATCH, 0.2);
        assertThat(changed.weights()).containsEntry(Priority.INTERACTIVE, 3).containsEntry(Priority.BATCH, 1);
        assertThat(changed.promoteAfter()).isEqualTo(Duration.ofSeconds(5));
        assertThat(changed.reserves()).containsEntry(Priority.BATCH, 0.2).containsEntry(Priority.NORMAL, 0.0);
    }

    @Test
    void whatIsNotAcceptedIsNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> standard.weights(1, 0, 1))
                .withMessage("weight of NORMAL must be a whole number from 1 to 1000, but was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> standard.reserve(Priority.BATCH, 0.91))
                .withMessage("reserve of BATCH must be a number from 0.0 to 0.9, but was 0.91");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> standard.reserve(Priority.INTERACTIVE, 0.1))
                .withMessageStartingWith("reserve of INTERACTIVE must be");
        assertThatIllegalArgumentException().isThrownBy(() -> standard.promoteAfter(Duration.ZERO));
        assertThatNullPointerException()
                .isThrownBy(() -> new PriorityPolicy(Map.of(), Duration.ofSeconds(1), Map.of()))
                .withMessage("weight of INTERACTIVE must not be null");
    }

    @Test
    void aCallKeepsItsPriorityWhenItsOptionsAreCompleted() {
        CallOptions options =
                CallOptions.DEFAULT.priority(Priority.BATCH).maxAttempts(3).idempotent(true);
        assertThat(CallOptions.DEFAULT.priority()).isEqualTo(Priority.NORMAL);
        assertThat(options.priority()).isEqualTo(Priority.BATCH);
        CallOptions complete = CallStarter.complete(options, "GET", true);
        assertThat(complete.priority()).isEqualTo(Priority.BATCH);
    }
}
