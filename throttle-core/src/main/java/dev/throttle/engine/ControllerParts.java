package dev.throttle.engine;

import dev.throttle.control.Controller;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit;
import dev.throttle.control.SleepController;
import dev.throttle.control.SleepStrategy;
import dev.throttle.control.Strategy;
import dev.throttle.engine.SharedPool.Share;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Cost;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The controllers of some strategies, in their order. They are made without a lock, as that is up to the user's code,
 * and take over what others knew under the engine's.
 */
final class ControllerParts {

    /** What the first controllers of an engine are made from. */
    static final ControllerParts NONE = new ControllerParts(List.of());

    /** One controller: a sleep or a rate. */
    static final class Part {

        /** No two limits differ by more, but one that has a bound and one that has none. */
        private static final double FAR = 1_000;

        private final Strategy strategy;
        final String name;
        final @Nullable SafeSleepController sleep;
        final @Nullable RateController rate;

        /**
         * Makes the controller of a strategy.
         *
         * @param later takes what is to be said about its faults when the engine's lock is free
         */
        private Part(Strategy strategy, ControllerHost host, Consumer<Runnable> later) {
            this.strategy = strategy;
            this.name = strategy.name();
            Controller controller = strategy.newController(host);
            if (strategy instanceof SleepStrategy && controller instanceof SleepController sleeps) {
                this.sleep = new SafeSleepController(sleeps, name, later);
                this.rate = null;
            } else if (controller instanceof RateLimit limit) {
                this.sleep = null;
                this.rate = limit instanceof Share share ? share : new SafeRateController(limit, name, later);
            } else {
                throw new IllegalArgumentException("the controller of " + name
                        + " is no RateLimit, nor is it the SleepController of a SleepStrategy");
            }
        }

        /** Whether another one counts the same, so that it can be told what this one knows. */
        private boolean isLike(Part other) {
            if (rate == null || other.rate == null) {
                return rate == null && other.rate == null;
            }
            if (!rate.unit().equals(other.rate.unit()) || rate.isAdaptive() != other.rate.isAdaptive()) {
                return false;
            }
            return rate.isAdaptive() || countsInFlight(rate) == countsInFlight(other.rate);
        }

        private static boolean countsInFlight(RateController limit) {
            return limit.limitInFlight() != Integer.MAX_VALUE;
        }

        /** {@return how far another one like it is from it, in rate and in size: 0 if they are the same} */
        private double distance(Part other) {
            if (rate == null || other.rate == null) {
                return 0;
            }
            return distance(rate.limitPerSecond(), other.rate.limitPerSecond())
                    + distance((double) rate.maxUnits(), (double) other.rate.maxUnits());
        }

        private static double distance(double one, double other) {
            return one == other ? 0 : Math.min(FAR, Math.abs(Math.log(one / other)));
        }

        private boolean isOfPoolOf(Share share) {
            return rate instanceof Share own && own.isOf(share);
        }

        private void takeOver(@Nullable Part before, RateLimit.Load load, long now) {
            if (sleep != null) {
                sleep.takeOver(before == null ? null : before.sleep, now);
            } else if (rate != null) {
                rate.takeOver(before == null ? null : before.rate, load, now);
            }
        }
    }

    /** A new part that could come in the place of one that is gone. */
    private record Succession(Part gone, Part next, boolean isRenamed, double distance) {

        Succession(Part gone, Part next) {
            this(gone, next, !gone.name.equals(next.name), gone.distance(next));
        }
    }

    private final List<Part> parts;

    private ControllerParts(List<Part> parts) {
        this.parts = parts;
    }

    List<Part> parts() {
        return parts;
    }

    /** {@return a limit that can never let a request go that takes this much; null if there is none} Without lock. */
    @Nullable RateController exceeded(Cost cost) {
        for (Part part : parts) {
            if (part.rate != null && cost.amount(part.rate.unit()) > part.rate.maxUnits()) {
                return part.rate;
            }
        }
        return null;
    }

    /** {@return those alone that are shared with other throttles, and so keep what they know} */
    ControllerParts shared() {
        return new ControllerParts(
                parts.stream().filter(part -> part.rate instanceof Share).toList());
    }

    /** {@return the limits that are shared with others} */
    List<Share> shares() {
        return parts.stream()
                .flatMap(part -> part.rate instanceof Share share ? Stream.of(share) : Stream.empty())
                .toList();
    }

    /**
     * {@return the controllers of some strategies: of those that are there already the same, of others new ones}
     *
     * @param later takes what is to be said about their faults when the engine's lock is free
     * @throws IllegalArgumentException if another shared limit is among them than before, unless these are the first
     */
    ControllerParts with(List<Strategy> strategies, ControllerHost host, Consumer<Runnable> later) {
        List<Part> left = new ArrayList<>(parts);
        List<Part> next = new ArrayList<>();
        for (Strategy strategy : strategies) {
            Part same = take(left, part -> part.strategy.equals(strategy));
            Part part = same == null ? new Part(strategy, host, later) : same;
            if (!(part.rate instanceof Share share)) {
                next.add(part);
            } else if (next.stream().noneMatch(other -> other.isOfPoolOf(share))) {
                Part there = take(left, other -> other.isOfPoolOf(share));
                next.add(there == null ? part : there);
            }
        }
        ControllerParts made = new ControllerParts(List.copyOf(next));
        boolean sharesTheSame = parts.isEmpty() || Set.copyOf(made.shares()).equals(Set.copyOf(shares()));
        Preconditions.check(
                sharesTheSame, "limits", strategies, "limits that include the same shared limits as before");
        return made;
    }

    private static @Nullable Part take(List<Part> from, Predicate<Part> which) {
        Part taken = from.stream().filter(which).findFirst().orElse(null);
        from.remove(taken);
        return taken;
    }

    /**
     * Hands to each new controller the one of those that are gone in whose place it comes: one of the same name that
     * counts the same, or else one that counts the same; none, if all are gone that it could follow. Those that are
     * most alike follow each other first. Under the engine's lock.
     *
     * @return the new controllers
     */
    List<Part> takeOver(ControllerParts before, RateLimit.Load load, long now) {
        List<Part> added = new ArrayList<>(parts);
        added.removeAll(before.parts);
        List<Part> gone = new ArrayList<>(before.parts);
        gone.removeAll(parts);
        List<Part> come = new ArrayList<>(added);
        List<Succession> successions = new ArrayList<>();
        for (Part next : come) {
            gone.stream().filter(old -> old.isLike(next)).forEach(old -> successions.add(new Succession(old, next)));
        }
        successions.sort(Comparator.comparing(Succession::isRenamed).thenComparingDouble(Succession::distance));
        for (Succession succession : successions) {
            if (gone.contains(succession.gone) && come.remove(succession.next)) {
                gone.remove(succession.gone);
                succession.next.takeOver(succession.gone, load, now);
            }
        }
        come.forEach(part -> part.takeOver(null, load, now));
        return added;
    }
}
