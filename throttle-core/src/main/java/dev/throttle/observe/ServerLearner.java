package dev.throttle.observe;

import dev.throttle.engine.RecordedCall;
import dev.throttle.internal.Nanos;
import dev.throttle.observe.Law.Kind;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Learns the limits of a server from recorded calls: those that its answers tell, and one that they do not, if there
 * are refusals that the others do not explain.
 */
final class ServerLearner {

    /** So many calls say enough about a limit, and more would take long. */
    private static final int MOST_READINGS = 8_000;
    /** Refusals that need no explanation. */
    private static final int STRAY = 2;

    private static final double STRAY_SHARE = 0.1;
    private static final long ABOUT_NANOS = 20_000_000;
    private static final long LONGEST_NANOS = Duration.ofDays(32).toNanos();

    private final List<RecordedCall> calls;
    private final BooleanSupplier isOver;

    /**
     * Makes it.
     *
     * @param calls what was recorded, by time, the first a second after the origin of the time
     * @param isOver whether there is no time left
     */
    ServerLearner(List<RecordedCall> calls, BooleanSupplier isOver) {
        this.calls = calls;
        this.isOver = isOver;
    }

    /** What answers have told of one quota. */
    private static final class Told {

        final List<Telling.Told> all = new ArrayList<>();

        Quota last() {
            return all.get(all.size() - 1).quota();
        }

        /** {@return the limit as it was told, or else the most that was left} */
        double limit() {
            Long limit = last().limit();
            if (limit != null) {
                return limit;
            }
            OptionalLong most = all.stream()
                    .filter(told -> told.quota().remaining() != null)
                    .mapToLong(told -> told.quota().remaining())
                    .max();
            return most.isPresent() ? most.getAsLong() + 1 : Double.NaN;
        }

        boolean tellsRemaining() {
            return all.stream().anyMatch(told -> told.quota().remaining() != null);
        }

        List<Double> windows() {
            List<Double> windows = new ArrayList<>();
            Duration window = last().window();
            if (window != null) {
                windows.add((double) Nanos.of(window));
            }
            all.stream()
                    .map(told -> told.quota().reset())
                    .filter(reset -> reset != null && !reset.isZero() && Nanos.of(reset) < LONGEST_NANOS)
                    .max(Comparator.naturalOrder())
                    .ifPresent(longest -> windows.add((double) Nanos.of(longest)));
            return windows;
        }
    }

    /** {@return the limits} */
    List<ModelLimit> limits() {
        Map<String, Told> told = new LinkedHashMap<>();
        for (RecordedCall call : calls) {
            for (Quota quota : call.quotas()) {
                if (!quota.isNameOnly() && !quota.unit().equals(Quota.CONCURRENT_REQUESTS)) {
                    told.computeIfAbsent(name(quota), name -> new Told())
                            .all
                            .add(new Telling.Told(ServerModel.arrivalOf(call), quota));
                }
            }
        }
        told.values().forEach(each -> each.all.sort(Comparator.comparingLong(Telling.Told::at)));
        List<ModelLimit> limits = new ArrayList<>();
        List<RecordedCall> unexplained = new ArrayList<>();
        told.values().removeIf(each -> !each.tellsRemaining() || Double.isNaN(each.limit()));
        for (Map.Entry<String, Told> each : told.entrySet()) {
            limits.add(learn(each.getKey(), each.getValue(), told.size() == 1));
        }
        int refused = 0;
        for (RecordedCall call : calls) {
            refused += call.isRefused() ? 1 : 0;
            if (call.isRefused() && (told.isEmpty() || !isExplained(call, told))) {
                unexplained.add(call);
            }
        }
        if (unexplained.size() > STRAY && unexplained.size() > STRAY_SHARE * refused) {
            limits.add(learnHidden(told));
        }
        return limits;
    }

    private static String name(Quota quota) {
        return quota.policy() + "/" + quota.partition() + "/" + quota.unit();
    }

    /** {@return whether a quota that was told has refused a call: it had less left than the call takes} */
    private static boolean isExplained(RecordedCall call, Map<String, Told> told) {
        boolean saysNothing = true;
        for (Quota quota : call.quotas()) {
            Long remaining = quota.remaining();
            if (remaining != null && told.containsKey(name(quota))) {
                saysNothing = false;
                if (remaining < amount(quota.unit(), call.cost())) {
                    return true;
                }
            }
        }
        return saysNothing;
    }

    private static double amount(String unit, Cost cost) {
        return unit.equals(Quota.REQUESTS) ? cost.requests() : cost.amount(unit);
    }

    private ModelLimit learn(String name, Told told, boolean isOnly) {
        String unit = told.last().unit();
        List<Reading> readings = new ArrayList<>();
        double used = 0;
        for (RecordedCall call : calls) {
            Quota quota = find(call, name);
            if (!call.isJudged() || (quota == null && !isOnly)) {
                continue;
            }
            Long remaining = quota == null ? null : quota.remaining();
            double amount = amount(unit, call.cost());
            boolean isRefusing = remaining == null ? isOnly : remaining < amount;
            Boolean verdict = !call.isRefused() ? Boolean.TRUE : isRefusing ? Boolean.FALSE : null;
            used += call.isRefused() ? 0 : amount;
            readings.add(new Reading(
                    ServerModel.arrivalOf(call),
                    verdict == null ? 0 : amount,
                    verdict,
                    remaining == null ? null : Double.valueOf(remaining)));
        }
        readings.sort(Comparator.comparingLong(Reading::at));
        putInOrder(readings);
        Fit fit = fit(readings, told.limit(), told.windows()).withoutNoise(used);
        return new ModelLimit(unit, fit, Telling.of(told.all, fit, readings), used);
    }

    /** The server may have seen requests that came at about the same time in another order: in that of what it told. */
    private static void putInOrder(List<Reading> readings) {
        for (int i = 1; i < readings.size(); i++) {
            for (int j = i; j > 0 && isBefore(readings.get(j), readings.get(j - 1)); j--) {
                Reading later = readings.get(j);
                Reading earlier = readings.get(j - 1);
                readings.set(j - 1, later.movedTo(earlier.at()));
                readings.set(j, earlier.movedTo(later.at()));
            }
        }
    }

    private static boolean isBefore(Reading reading, Reading other) {
        Double left = reading.remaining();
        Double otherLeft = other.remaining();
        if (left == null || otherLeft == null || reading.at() - other.at() > ABOUT_NANOS) {
            return false;
        }
        return left > otherLeft || (left.equals(otherLeft) && reading.isGranted() && !other.isGranted());
    }

    private static @Nullable Quota find(RecordedCall call, String name) {
        return call.quotas().stream()
                .filter(quota -> name(quota).equals(name))
                .findFirst()
                .orElse(null);
    }

    private ModelLimit learnHidden(Map<String, Told> told) {
        List<Reading> readings = new ArrayList<>();
        double used = 0;
        for (RecordedCall call : calls) {
            if (call.isJudged()) {
                boolean isOfOther = call.isRefused() && !told.isEmpty() && isExplained(call, told);
                double amount = isOfOther ? 0 : call.cost().requests();
                used += call.isRefused() ? 0 : amount;
                Boolean verdict = isOfOther ? null : Boolean.valueOf(!call.isRefused());
                readings.add(new Reading(ServerModel.arrivalOf(call), amount, verdict, null));
            }
        }
        readings.sort(Comparator.comparingLong(Reading::at));
        return new ModelLimit(Quota.REQUESTS, fit(readings, Double.NaN, List.of()), null, used);
    }

    /** Finds the law by the calls around refusals, and then what others have used all the time. */
    private Fit fit(List<Reading> readings, double limit, List<Double> windows) {
        if (readings.isEmpty()) {
            return new Fit(new Law(Kind.FIXED_WINDOW, 1e9, 0), limit, 0, 0, List.of());
        }
        List<Reading> some = readings.size() <= MOST_READINGS ? readings : aroundRefusals(readings);
        Fit best = new LawSearch(some, limit, windows, isOver).best();
        return some.size() == readings.size() ? best : Fit.of(best.law(), best.limit(), readings);
    }

    /** {@return as many readings in a row as are looked at, those with the most refusals} */
    private static List<Reading> aroundRefusals(List<Reading> readings) {
        int refused = 0;
        int most = -1;
        int from = 0;
        for (int i = 0; i < readings.size(); i++) {
            refused += readings.get(i).isGranted() ? 0 : 1;
            if (i >= MOST_READINGS) {
                refused -= readings.get(i - MOST_READINGS).isGranted() ? 0 : 1;
            }
            if (i >= MOST_READINGS - 1 && refused > most) {
                most = refused;
                from = i - MOST_READINGS + 1;
            }
        }
        return readings.subList(from, from + MOST_READINGS);
    }
}
