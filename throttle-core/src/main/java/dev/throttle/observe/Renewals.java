package dev.throttle.observe;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The times between which a limit was renewed: before, little was left, or a request was refused, and after it there
 * was more, or one was granted.
 *
 * @param all those times
 */
record Renewals(List<Between> all) {

    /** A renewal was after one instant and not after another. */
    record Between(long from, long to) {}

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
            boolean isTold = left != null && more != null;
            boolean isRenewed = isTold
                    ? more + after.amount() > left + Math.max(1, left)
                    : !before.isGranted() && after.isGranted();
            if (isRenewed) {
                all.add(new Between(before.at(), after.at()));
            }
        }
        return new Renewals(all);
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
