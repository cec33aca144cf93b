package dev.throttle;

import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/** What model checks of a throttle have in common. */
public final class ModelChecking {

    /** The first invocation instruments all classes that it meets, which takes long on a busy machine. */
    private static final Duration HANGS_AFTER = Duration.ofMinutes(4);

    private ModelChecking() {}

    /**
     * {@return options without generated scenarios}
     *
     * @param invocations how many interleavings of each scenario are tried
     * @param sequential what the operations are compared with
     */
    public static ModelCheckingOptions options(int invocations, Class<?> sequential) {
        return new ModelCheckingOptions()
                .iterations(0)
                .invocationsPerIteration(invocations)
                .invocationTimeout$lincheck(HANGS_AFTER.toMillis()) // 30 s otherwise; there is no public option
                .sequentialSpecification(sequential);
    }

    /** {@return a call of one of {@link PermitOperations} by a caller} */
    static Actor does(String operation, int who) {
        return does(PermitOperations.class, operation, who);
    }

    /** {@return a call of an operation, which takes a number} */
    static Actor does(Class<?> test, String operation, int argument) {
        try {
            return new Actor(test.getMethod(operation, int.class), List.of(argument));
        } catch (NoSuchMethodException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** {@return a time in which nothing falls due} */
    static TimeSource standingTime() {
        return new StandingTime();
    }

    private static final class StandingTime implements TimeSource {

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public long currentTimeMillis() {
            return 0;
        }

        @Override
        public void parkUntil(Object blocker, long instant) {
            throw new AssertionError("no operation blocks");
        }

        @Override
        public ScheduledTask schedule(long delayNanos, Runnable task) {
            return () -> {};
        }
    }
}
