package dev.throttle.observe;

import dev.throttle.observe.Law.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Looks for the law that explains best what was recorded of a limit: it tries windows of usual lengths, of each kind,
 * and buckets, and then varies the best ones.
 */
final class LawSearch {

    private static final double SECOND = 1e9;
    private static final double[] USUAL_SECONDS = {
        1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 10_800, 21_600, 43_200, 86_400
    };
    private static final int PHASES = 24;
    private static final int RATES = 60;
    private static final double SLOWEST = 0.3;
    private static final double RATE_STEP = 1.07;
    private static final int REFINED = 3;
    private static final double[] STEPS = {0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001, 0.00003, 0.00001};
    private static final int MOST_MOVES = 12;
    private static final int MOST_PARTS = 16;

    private final List<Reading> readings;
    private final double limit;
    /** The lengths of windows that were told, in nanoseconds. */
    private final List<Double> toldWindows;

    private final BooleanSupplier isOver;

    /**
     * Makes it.
     *
     * @param limit the limit that was told; NaN if none was
     * @param isOver whether there is no time left to look for better ones
     */
    LawSearch(List<Reading> readings, double limit, List<Double> toldWindows, BooleanSupplier isOver) {
        this.readings = readings;
        this.limit = limit;
        this.toldWindows = toldWindows;
        this.isOver = isOver;
    }

    /** {@return the best law; the first of several that are as good} */
    Fit best() {
        List<Fit> fits = new ArrayList<>();
        for (Law law : candidates()) {
            fits.add(Fit.of(law, limit, readings));
            if (isOver.getAsBoolean()) {
                break;
            }
        }
        fits.sort(Comparator.comparingDouble(Fit::badness));
        Fit best = fits.get(0);
        for (Kind kind : Kind.values()) {
            List<Fit> ofKind = fits.stream()
                    .filter(fit -> fit.law().kind() == kind)
                    .limit(REFINED)
                    .toList();
            for (Fit fit : ofKind) {
                Fit refined = refine(fit);
                best = refined.badness() < best.badness() ? refined : best;
            }
        }
        return best;
    }

    private List<Law> candidates() {
        List<Law> laws = new ArrayList<>();
        Renewals renewals = Renewals.of(readings);
        List<Double> windows = new ArrayList<>(toldWindows);
        for (double seconds : USUAL_SECONDS) {
            windows.add(seconds * SECOND);
        }
        double shown = renewals.window();
        if (shown > 0) {
            windows.add(shown);
        }
        for (double window : windows) {
            laws.add(new Law(Kind.FIXED_WINDOW, window, readings.get(0).at()));
            Law fitted = renewals.fitted(window);
            if (fitted != null) {
                laws.add(fitted);
            }
            laws.add(new Law(Kind.WINDOW_FROM_REQUEST, window, 0));
            laws.add(new Law(Kind.FIXED_WINDOW, window, renewals.phase((long) window)));
            for (int i = 0; i < PHASES; i++) {
                laws.add(new Law(Kind.FIXED_WINDOW, window, (long) (window * i / PHASES)));
            }
            laws.add(new Law(Kind.SLIDING_WINDOW, window, 0));
            if (!Double.isNaN(limit)) {
                laws.add(new Law(Kind.BUCKET, window / limit, 0));
            }
        }
        double granted = readings.stream()
                .filter(Reading::isGranted)
                .mapToDouble(Reading::amount)
                .sum();
        double each = span() / Math.max(1, granted);
        for (int i = 0; i < RATES; i++) {
            laws.add(new Law(Kind.BUCKET, each / SLOWEST / Math.pow(RATE_STEP, i), 0));
        }
        ratesBetweenRefusals().forEach(unit -> laws.add(new Law(Kind.BUCKET, unit, 0)));
        return laws;
    }

    /**
     * {@return the times in which a unit of a bucket comes back, if it was full of use at two refusals and never empty
     * in between: what was granted meanwhile has come back}
     */
    private List<Double> ratesBetweenRefusals() {
        List<Double> grantedUntil = new ArrayList<>();
        List<Long> refusedAt = new ArrayList<>();
        double granted = 0;
        for (Reading reading : readings) {
            if (reading.isGranted()) {
                granted += reading.amount();
            } else {
                grantedUntil.add(granted);
                refusedAt.add(reading.at());
            }
        }
        List<Double> units = new ArrayList<>();
        int last = refusedAt.size() - 1;
        for (int parts = 1; parts <= MOST_PARTS && parts < last; parts *= 2) {
            for (int i = 0; i < parts; i++) {
                int from = (int) ((long) last * i / parts);
                int to = (int) ((long) last * (i + 1) / parts);
                double amount = grantedUntil.get(to) - grantedUntil.get(from);
                long nanos = refusedAt.get(to) - refusedAt.get(from);
                if (amount > 0 && nanos > 0) {
                    units.add(nanos / amount);
                }
            }
        }
        return units;
    }

    private double span() {
        return Math.max(SECOND, (double)
                (readings.get(readings.size() - 1).at() - readings.get(0).at()));
    }

    private Fit refine(Fit start) {
        Fit best = start;
        for (double step : STEPS) {
            boolean isBetter = true;
            for (int moves = 0; isBetter && moves < MOST_MOVES && !isOver.getAsBoolean(); moves++) {
                Fit before = best;
                for (Law law : near(before.law(), step)) {
                    Fit fit = Fit.of(law, limit, readings);
                    best = fit.badness() < best.badness() ? fit : best;
                }
                isBetter = best.badness() < before.badness();
            }
        }
        return best;
    }

    private static List<Law> near(Law law, double step) {
        return switch (law.kind()) {
            case FIXED_WINDOW -> {
                long far = (long) (law.window() * step);
                yield List.of(
                        law.withPhase(law.phase() - far),
                        law.withPhase(law.phase() + far),
                        law.withWindow(law.window() * (1 - step)),
                        law.withWindow(law.window() * (1 + step)));
            }
            case BUCKET ->
                List.of(law.withWindow(law.window() * (1 - step)), law.withWindow(law.window() * (1 + step)));
            case WINDOW_FROM_REQUEST, SLIDING_WINDOW -> List.of();
        };
    }
}
