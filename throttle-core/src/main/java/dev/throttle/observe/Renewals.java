package dev.throttle.observe;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The times between which a limit was renewed: before, little was left, or a request was refused, and after it there
 * was more, or one was granted.
 *
 * @param all those times
 */
record Renewals(List<Between> all) {

    /** A renewal was after one instant and not after another. */
    record Between(long from, long to) {

        double middle() {
            return from + (to - from) / 2.0;
        }
    }

    /** A border of a stretch of phases in which a renewal may lie. */
    private record Border(long phase, int step) {}

    /** {@return the renewals that show in what was recorded} */
    static Renewals of(List<Reading> readings) {
        List<Between> all = new ArrayList<>();
        for (int i = 1; i < readings.size(); i++) {
            Reading before = readings.get(i - 1);
            Reading after = readings.get(i);
            Double left = before.remaining();
            Double more = after.remaining();
            boolean isRenewed = (left != null && more != null)
                    ? more + after.amount() > left + Math.max(1, left)
                    : !before.isGranted() && after.isGranted();
            if (isRenewed) {
                all.add(new Between(before.at(), after.at()));
            }
        }
        return new Renewals(all);
    }

    /**
     * {@return the length of the windows, as exactly as it shows; NaN if it does not} The first and the last renewal
     * are a whole number of windows apart.
     */
    double window() {
        if (all.size() < 2) {
            return Double.NaN;
        }
        double shortest = Double.POSITIVE_INFINITY;
        for (int i = 1; i < all.size(); i++) {
            shortest = Math.min(shortest, all.get(i).middle() - all.get(i - 1).middle());
        }
        double whole = all.get(all.size() - 1).middle() - all.get(0).middle();
        return shortest <= 0 ? Double.NaN : whole / Math.max(1, Math.rint(whole / shortest));
    }

    /**
     * {@return windows that follow each other, fitted to all renewals; null if there are too few} Those that are known
     * more exactly count more.
     *
     * @param about how long a window is, roughly
     */
    @Nullable Law fitted(double about) {
        if (all.size() < 2) {
            return null;
        }
        double weights = 0;
        double sumNumber = 0;
        double sumAt = 0;
        double sumNumbers = 0;
        double sumBoth = 0;
        double number = 0;
        double origin = all.get(0).middle();
        for (int i = 0; i < all.size(); i++) {
            Between between = all.get(i);
            number += i == 0 ? 0 : Math.rint((between.middle() - all.get(i - 1).middle()) / about);
            double width = Math.max(1, between.to - between.from);
            double weight = 1 / width / width;
            weights += weight;
            sumNumber += weight * number;
            sumAt += weight * (between.middle() - origin);
            sumNumbers += weight * number * number;
            sumBoth += weight * number * (between.middle() - origin);
        }
        double spread = weights * sumNumbers - sumNumber * sumNumber;
        double window = (weights * sumBoth - sumNumber * sumAt) / spread;
        double phase = origin + (sumAt - window * sumNumber) / weights;
        return spread > 0 && window >= 1 ? new Law(Law.Kind.FIXED_WINDOW, window, (long) phase) : null;
    }

    /** {@return when the windows of a length begin that explain most of them, from 0 to the length} */
    long phase(long window) {
        List<Border> borders = new ArrayList<>();
        int open = 0;
        for (Between between : all) {
            long from = Math.floorMod(between.from, window);
            long to = Math.floorMod(between.to, window);
            if (between.to - between.from >= window) {
                continue; // it says nothing
            }
            open += from > to ? 1 : 0;
            borders.add(new Border(from, 1));
            borders.add(new Border(to, -1));
        }
        borders.sort(Comparator.comparingLong(Border::phase));
        int most = open;
        long phase = 0;
        for (int i = 0; i < borders.size(); i++) {
            open += borders.get(i).step;
            if (open > most) {
                most = open;
                long until = i + 1 < borders.size() ? borders.get(i + 1).phase : window;
                phase = (borders.get(i).phase + until) / 2;
            }
        }
        return phase;
    }
}
