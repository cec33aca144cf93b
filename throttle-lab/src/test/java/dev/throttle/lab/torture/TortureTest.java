package dev.throttle.lab.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A short run; {@code throttle-lab torture} makes long ones, and the profile {@code torture} looks for what is left.
 */
class TortureTest {

    private static final int MANY = 20_000;
    private static final long CALLS = 1_000;

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void eachCallEndsOnceAndAsItShould(long seed) throws Exception {
        TortureResult result = new Torture(seed, null, false).run(Duration.ofHours(1), CALLS, calls -> {});

        assertThat(result.failures()).as("%s", result.wrong()).isEqualTo(result.left());
        assertThat(result.answered()).isGreaterThan(CALLS / 2);
        assertThat(CALLS)
                .isEqualTo(result.calls())
                .isEqualTo(result.answered() + result.rejected() + result.cancelled() + result.faults());
    }

    @Test
    void thePlanOfACallIsAFunctionOfSeedAndNumber() {
        for (long number = 0; number < 1000; number++) {
            CallPlan plan = CallPlan.of(7, number, null);
            assertThat(CallPlan.of(7, number, null)).isEqualTo(plan);
            assertThat(AnswerPlan.of(7, number, 1, plan.wire())).isEqualTo(AnswerPlan.of(7, number, 1, plan.wire()));
            assertThat(Disturbance.before(7, number)).isEqualTo(Disturbance.before(7, number));
        }
        assertThat(CallPlan.of(8, 1, null)).isNotEqualTo(CallPlan.of(7, 1, null));
    }

    /** What is never planned is never tried. */
    @Test
    void everyKindOfEverythingIsPlanned() {
        Map<Door, Integer> doors = new EnumMap<>(Door.class);
        Map<Wire, Integer> wires = new EnumMap<>(Wire.class);
        Map<CallPlan.Meddling, Integer> meddlings = new EnumMap<>(CallPlan.Meddling.class);
        Map<CallPlan.Reading, Integer> readings = new EnumMap<>(CallPlan.Reading.class);
        Map<CallPlan.Wish, Integer> wishes = new EnumMap<>(CallPlan.Wish.class);
        Map<AnswerPlan.Fault, Integer> faults = new EnumMap<>(AnswerPlan.Fault.class);
        Map<Disturbance, Integer> disturbances = new EnumMap<>(Disturbance.class);
        for (long number = 0; number < MANY; number++) {
            CallPlan plan = CallPlan.of(1, number, null);
            doors.merge(plan.door(), 1, Integer::sum);
            wires.merge(plan.wire(), 1, Integer::sum);
            meddlings.merge(plan.meddling(), 1, Integer::sum);
            readings.merge(plan.reading(), 1, Integer::sum);
            wishes.merge(plan.wish(), 1, Integer::sum);
            faults.merge(AnswerPlan.of(1, number, 0, plan.wire()).fault(), 1, Integer::sum);
            Disturbance disturbance = Disturbance.before(1, number);
            if (disturbance != null) {
                disturbances.merge(disturbance, 1, Integer::sum);
            }
        }
        assertThat(doors).hasSize(Door.values().length);
        assertThat(wires).hasSize(Wire.values().length);
        assertThat(meddlings).hasSize(CallPlan.Meddling.values().length);
        assertThat(readings).hasSize(CallPlan.Reading.values().length);
        assertThat(wishes).hasSize(CallPlan.Wish.values().length);
        assertThat(faults).hasSize(AnswerPlan.Fault.values().length);
        assertThat(disturbances).hasSize(Disturbance.values().length);
    }

    @Test
    void oneClientAloneCanBeTried() {
        for (long number = 0; number < 1000; number++) {
            assertThat(CallPlan.of(1, number, true).door().isOkHttp()).isTrue();
            assertThat(CallPlan.of(1, number, false).door().isOkHttp()).isFalse();
        }
    }
}
