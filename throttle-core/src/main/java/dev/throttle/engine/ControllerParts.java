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
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The controllers of some strategies, in their order. They are made without a lock, as that is up to the user's code,
 * and take over what others knew under the engine's.
 */
final class ControllerParts {

    /** One controller: a sleep or a rate. */
    static final class Part {

        /** No two limits differ by more, but one that has a bound and one that has none. */
        private static final double FAR = 1_000;

        private final Strategy strategy;
        final String name;
        final @Nullable SleepController sleep;
        final @Nullable RateController rate;

        private Part(Strategy strategy, String name, @Nullable SleepController sleep, @Nullable RateController rate) {
            this.strategy = strategy;
            this.name = name;
            this.sleep = sleep;
            this.rate = rate;
        }

        private static Part of(Strategy strategy, ControllerHost host, Consumer<Runnable> later) {
            String name = strategy.name();
            Controller controller = strategy.newController(host);
            if (strategy instanceof SleepStrategy && controller instanceof SleepController sleep) {
                return new Part(strategy, name, new SafeSleepController(sleep, name, later), null);
            }
            if (controller instanceof Share share) {
                return new Part(strategy, name, null, share);
            }
            if (controller instanceof RateLimit limit) {
                return new Part(strategy, name, null, new SafeRateController(limit, name, later));
            }
            throw new IllegalArgumentException(
                    "the controller of " + name + " is no RateLimit, nor is it the SleepController of a SleepStrategy");
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

        private void takeOver(@Nullable Part before, RateLimit.Load load, long now) {
            if (sleep != null) {
                sleep.takeOver(before == null ? null : before.sleep, now);
            } else if (rate != null) {
                rate.takeOver(before == null ? null : before.rate, load, now);
            }
        }

        private void onShared(int processes, double perSecond, long now) {
            if (rate != null) {
                rate.onShared(processes, perSecond, now);
            }
        }
    }

    private final List<Part> parts;

    /** What is to be said about controllers that threw something, when the lock is free. */
    private final Queue<Runnable> faults;

    /** How many processes share the key, and how fast they go together; negative if that is not known. */
    private int sharers = -1;

    private double together = Double.NaN;

    private ControllerParts(List<Part> parts, Queue<Runnable> faults) {
        this.parts = parts;
        this.faults = faults;
    }

    /** {@return what the first controllers of an engine are made from} */
    static ControllerParts none() {
        return new ControllerParts(List.of(), new ConcurrentLinkedQueue<>());
    }

    /** Hands over what is to be said when the lock is free. */
    void takeFaults(Consumer<Runnable> news) {
        for (Runnable fault = faults.poll(); fault != null; fault = faults.poll()) {
            news.accept(fault);
        }
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

    /** {@return the limits that are shared with others} */
    List<Share> shares() {
        return parts.stream()
                .flatMap(part -> part.rate instanceof Share share ? Stream.of(share) : Stream.empty())
                .toList();
    }

    /**
     * {@return the controllers of some strategies: of those that are there already the same, of others new ones}
     *
     * @throws IllegalArgumentException if another shared limit is among them than before, unless these are the first
     */
    ControllerParts with(List<Strategy> strategies, ControllerHost host) {
        List<Part> left = new ArrayList<>(parts);
        List<Part> next = new ArrayList<>();
        for (Strategy strategy : strategies) {
            Part same = take(left, part -> part.strategy.equals(strategy));
            Part part = same == null ? Part.of(strategy, host, faults::add) : same;
            if (!(part.rate instanceof Share share)) {
                next.add(part);
            } else if (next.stream().noneMatch(other -> isOf(other, share))) {
                Part there = take(left, other -> isOf(other, share));
                next.add(there == null ? part : there);
            }
        }
        ControllerParts made = new ControllerParts(List.copyOf(next), faults);
        boolean sharesTheSame = parts.isEmpty() || Set.copyOf(made.shares()).equals(Set.copyOf(shares()));
        Preconditions.check(
                sharesTheSame, "limits", strategies, "limits that include the same shared limits as before");
        return made;
    }

    private static boolean isOf(Part part, Share share) {
        return part.rate instanceof Share there && share.isOf(there);
    }

    /**
     * Hands to each new controller the one of those that are gone in whose place it comes: one of the same name that
     * counts the same, or else one that counts the same; none, if all are gone that it could follow. Of several it is
     * the one that is most like it. Under the engine's lock.
     */
    void takeOver(ControllerParts before, RateLimit.Load load, long now) {
        List<Part> gone = new ArrayList<>(before.parts);
        List<Part> come = new ArrayList<>(parts);
        come.removeIf(part -> take(gone, old -> old == part) != null);
        List<Part> added = List.copyOf(come);
        handOver(gone, come, (old, part) -> old.isLike(part) && old.name.equals(part.name), load, now);
        handOver(gone, come, Part::isLike, load, now);
        for (Part part : come) {
            part.takeOver(null, load, now);
        }
        sharers = before.sharers;
        together = before.together;
        if (sharers >= 0) {
            added.forEach(part -> part.onShared(sharers, together, now));
        }
    }

    /** How many processes share the key, which controllers that come later are told too. */
    void onShared(int processes, double perSecond, long now) {
        sharers = processes;
        together = perSecond;
        parts.forEach(part -> part.onShared(processes, perSecond, now));
    }

    /** Those that are most alike first, so that who has a better one to follow leaves the others theirs. */
    private static void handOver(
            List<Part> gone, List<Part> come, BiPredicate<Part, Part> mayFollow, RateLimit.Load load, long now) {
        while (true) {
            Part from = null;
            Part to = null;
            for (Part part : come) {
                for (Part old : gone) {
                    if (mayFollow.test(old, part)
                            && (from == null || to == null || old.distance(part) < from.distance(to))) {
                        from = old;
                        to = part;
                    }
                }
            }
            if (from == null || to == null) {
                return;
            }
            gone.remove(from);
            come.remove(to);
            to.takeOver(from, load, now);
        }
    }

    private static @Nullable Part take(List<Part> from, Predicate<Part> which) {
        for (int i = 0; i < from.size(); i++) {
            if (which.test(from.get(i))) {
                return from.remove(i);
            }
        }
        return null;
    }
}
