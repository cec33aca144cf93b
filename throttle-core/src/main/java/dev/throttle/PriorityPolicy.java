package dev.throttle;

import dev.throttle.internal.Preconditions;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Defines how the classes of {@link Priority} share a throttle. Immutable and thread-safe.
 *
 * <pre>{@code
 * Throttle throttle = Throttle.builder()
 *         .priorities(PriorityPolicy.standard().weights(10, 5, 1).reserve(Priority.BATCH, 0.2))
 *         .build();
 * }</pre>
 *
 * @param weights the weight of each class while callers of all classes wait, from 1 to 1,000. With 16, 4 and 1 the
 *     interactive calls get 16 of 21 requests. The other classes get what a class does not use
 * @param promoteAfter how long a call waits before it is promoted to the next higher class, and as long again to the
 *     class above that; above zero. Calls of one class keep their order
 * @param reserves the share of each fixed limit, and of each quota of the server, that a class leaves to the classes
 *     above it, from 0 to 0.9
 */
public record PriorityPolicy(Map<Priority, Integer> weights, Duration promoteAfter, Map<Priority, Double> reserves) {

    private static final int MOST_WEIGHT = 1_000;
    private static final double MOST_RESERVE = 0.9;

    private static final PriorityPolicy STANDARD = new PriorityPolicy(
            Map.of(Priority.INTERACTIVE, 16, Priority.NORMAL, 4, Priority.BATCH, 1),
            Duration.ofMinutes(1),
            Map.of(Priority.INTERACTIVE, 0.0, Priority.NORMAL, 0.0, Priority.BATCH, 0.0));

    /**
     * Checks the values.
     *
     * @param weights see the record; names every class
     * @param promoteAfter see the record
     * @param reserves see the record; names every class, and none for {@link Priority#INTERACTIVE}
     */
    public PriorityPolicy {
        Map<Priority, Integer> checkedWeights = new EnumMap<>(Priority.class);
        Map<Priority, Double> checkedReserves = new EnumMap<>(Priority.class);
        for (Priority priority : Priority.values()) {
            Integer weight = named("weight of " + priority, weights.get(priority));
            Preconditions.between("weight of " + priority, weight, 1, MOST_WEIGHT);
            checkedWeights.put(priority, weight);
            Double reserve = named("reserve of " + priority, reserves.get(priority));
            double most = priority == Priority.INTERACTIVE ? 0 : MOST_RESERVE;
            Preconditions.between("reserve of " + priority, reserve, 0, most);
            checkedReserves.put(priority, reserve);
        }
        Preconditions.positive("promoteAfter", promoteAfter);
        weights = Collections.unmodifiableMap(checkedWeights);
        reserves = Collections.unmodifiableMap(checkedReserves);
    }

    private static <V> V named(String what, @Nullable V value) {
        if (value == null) {
            throw new NullPointerException(what + " must not be null");
        }
        return value;
    }

    /** {@return weights of 16, 4 and 1, promotion after one minute, and no reserve} */
    public static PriorityPolicy standard() {
        return STANDARD;
    }

    /**
     * {@return this policy with other weights}
     *
     * @param interactive from 1 to 1,000
     * @param normal from 1 to 1,000
     * @param batch from 1 to 1,000
     */
    public PriorityPolicy weights(int interactive, int normal, int batch) {
        return new PriorityPolicy(
                Map.of(Priority.INTERACTIVE, interactive, Priority.NORMAL, normal, Priority.BATCH, batch),
                promoteAfter,
                reserves);
    }

    /**
     * {@return this policy with another time until promotion}
     *
     * @param value above zero; a hundred years for never
     */
    public PriorityPolicy promoteAfter(Duration value) {
        return new PriorityPolicy(weights, value, reserves);
    }

    /**
     * {@return this policy with another share that one class leaves to those above it}
     *
     * @param priority a class other than {@link Priority#INTERACTIVE}, which leaves nothing
     * @param share of a fixed limit or of a quota, from 0 to 0.9; rounded down to whole permits
     */
    public PriorityPolicy reserve(Priority priority, double share) {
        Map<Priority, Double> changed = new EnumMap<>(reserves);
        changed.put(Preconditions.required("priority", priority), share);
        return new PriorityPolicy(weights, promoteAfter, changed);
    }
}
