package dev.throttle;

import static dev.throttle.ModelChecking.does;

import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Model checking of the engine: in every interleaving that the checker tries, each operation answers as if all of them
 * had run one after the other on {@link Sequential}. One request may be on the wire, so that the end of one lets the
 * next go.
 */
@Tag("slow")
public class EngineModelTest extends PermitOperations {

    private static final int INVOCATIONS = 80;

    public EngineModelTest() {
        super(settings().strategy(TestStrategies.atMostOnTheWire(1)).build());
    }

    /**
     * Caller 0 has the permit, 1 and 2 wait. Then three threads at a time: the end of 0, what 1 does, and what somebody
     * else does.
     */
    @Test
    void everyInterleavingIsLikeSomeSequence() {
        ModelCheckingOptions options = ModelChecking.options(INVOCATIONS, Sequential.class);
        List<Actor> before = List.of(does("acquireAsync", 0), does("acquireAsync", 1), does("acquireAsync", 2));
        List<Actor> after =
                List.of(does("look", 1), does("look", 2), does("look", 3), does("tryAcquire", 4), does("complete", 4));
        for (Actor end : List.of(does("complete", 0), does("cancel", 0))) {
            for (List<Actor> second :
                    List.of(List.of(does("cancel", 1)), List.of(does("cancel", 1), does("acquireAsync", 1)))) {
                for (Actor third : List.of(does("cancel", 2), does("acquireAsync", 3))) {
                    List<List<Actor>> atTheSameTime = List.of(List.of(end), second, List.of(third));
                    options.addCustomScenario(new ExecutionScenario(before, atTheSameTime, after, null));
                }
            }
        }
        options.check(EngineModelTest.class);
    }

    /** One permit and a queue. */
    public static class Sequential extends SequentialPermits {

        public Sequential() {
            super(1, 1);
        }
    }
}
