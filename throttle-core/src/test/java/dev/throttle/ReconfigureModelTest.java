package dev.throttle;

import static dev.throttle.ModelChecking.does;

import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Model checking of changes of a limit against permits and cancellations: in every interleaving that the checker tries,
 * each operation answers as if all of them had run one after the other on {@link Sequential}.
 */
@Tag("slow")
public class ReconfigureModelTest {

    private static final int INVOCATIONS = 10;

    private static final List<Strategy> LIMITS = List.of(inFlight(1), inFlight(1), inFlight(2));

    private static Strategy inFlight(long limit) {
        return Strategies.inFlight().limit(limit).build();
    }

    /** Caller 0 has the permit, 1 and 2 wait. Then a change, what those do, and what somebody else does. */
    @Test
    void everyInterleavingIsLikeSomeSequence() {
        ModelCheckingOptions options = ModelChecking.options(INVOCATIONS, Sequential.class);
        List<Actor> before = List.of(does("acquireAsync", 0), does("acquireAsync", 1), does("acquireAsync", 2));
        List<Actor> after =
                List.of(does("look", 1), does("look", 2), does("look", 3), does("acquireAsync", 4), does("look", 4));
        List<Actor> third = List.of(does("acquireAsync", 3));
        for (Actor second : List.of(does("complete", 0), does("cancel", 1))) {
            options.addCustomScenario(
                    new ExecutionScenario(before, List.of(List.of(limitOf(2)), List.of(second), third), after, null));
        }
        options.check(WithLimit.class);
    }

    /** Without a limit nobody counts who is on the wire; from the change on it matters. */
    @Test
    void aLimitThatComesCountsThoseThatAreOnTheWire() {
        ModelCheckingOptions options = ModelChecking.options(INVOCATIONS, SequentialWithoutLimit.class);
        List<Actor> before = List.of(does("acquireAsync", 0), does("acquireAsync", 1));
        List<Actor> after = List.of(does("acquireAsync", 3), does("complete", 1), does("look", 2), does("look", 3));
        for (Actor second : List.of(does("complete", 0), does("cancel", 0))) {
            options.addCustomScenario(new ExecutionScenario(
                    before,
                    List.of(List.of(limitOf(1)), List.of(second), List.of(does("acquireAsync", 2))),
                    after,
                    null));
        }
        options.check(WithoutLimit.class);
    }

    private static Actor limitOf(int permits) {
        return does(Operations.class, "limit", permits);
    }

    /** What callers do, and changes of the limit. */
    public abstract static class Operations extends PermitOperations {

        private Operations(Throttle.Builder builder) {
            super(builder.strategy(TestStrategies.free()).build());
        }

        /** Lets so many be on the wire. */
        public void limit(int most) {
            throttleOf(0).reconfigure(key -> {
                key.clearLimits();
                key.limit(LIMITS.get(most));
            });
        }
    }

    /** One request at a time, to begin with. */
    public static class WithLimit extends Operations {

        public WithLimit() {
            super(settings().limit(LIMITS.get(1)));
        }
    }

    /** No limit, to begin with. */
    public static class WithoutLimit extends Operations {

        public WithoutLimit() {
            super(settings());
        }
    }

    /** Some permits and a queue. */
    public static class Sequential extends SequentialPermits {

        public Sequential() {
            this(1);
        }

        Sequential(int permits) {
            super(permits, 1);
        }

        /** Lets so many be on the wire. */
        public void limit(int most) {
            permits(most);
        }
    }

    /** As many permits as anybody asks for, until a limit comes. */
    public static class SequentialWithoutLimit extends Sequential {

        public SequentialWithoutLimit() {
            super(Integer.MAX_VALUE);
        }
    }
}
