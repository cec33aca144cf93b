package dev.throttle;

import static dev.throttle.ModelChecking.does;

import dev.throttle.control.Strategies;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Model checking of a limit that two throttles share: in every interleaving that the checker tries, each operation
 * answers as if all of them had run one after the other on {@link Sequential}. One request of both may be on the wire.
 */
@Tag("slow")
public class SharedLimitModelTest extends PermitOperations {

    private static final int INVOCATIONS = 40;

    public SharedLimitModelTest() {
        super(throttles());
    }

    private static Throttle[] throttles() {
        SharedLimit wire = SharedLimit.of("wire", Strategies.inFlight().limit(1).build());
        Throttle.Builder builder = settings().strategy(Strategies.none()).limit(wire);
        return new Throttle[] {builder.build(), builder.build()};
    }

    /**
     * Caller 0 has the permit, 1 waits at the other throttle, and 2 where 0 was. Then three threads at a time: the end
     * of 0, what 1 does, and what somebody else does.
     */
    @Test
    void everyInterleavingIsLikeSomeSequence() {
        ModelCheckingOptions options = ModelChecking.options(INVOCATIONS, Sequential.class);
        List<Actor> before = List.of(does("acquireAsync", 0), does("acquireAsync", 1), does("acquireAsync", 2));
        List<Actor> after = List.of(
                does("look", 1),
                does("look", 2),
                does("look", 3),
                does("complete", 1),
                does("complete", 2),
                does("look", 3),
                does("tryAcquire", 4));
        for (Actor end : List.of(does("complete", 0), does("cancel", 0))) {
            List<Actor> second = List.of(does("cancel", 1), does("acquireAsync", 1));
            for (Actor third : List.of(does("cancel", 2), does("acquireAsync", 3))) {
                List<List<Actor>> atTheSameTime = List.of(List.of(end), second, List.of(third));
                options.addCustomScenario(new ExecutionScenario(before, atTheSameTime, after, null));
            }
        }
        options.check(SharedLimitModelTest.class);
    }

    /** One permit and two queues that take turns. */
    public static class Sequential extends SequentialPermits {

        public Sequential() {
            super(1, 2);
        }
    }
}
