package dev.throttle.lease.file;

import dev.throttle.lease.file.StoreData.Members;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What all questions about a limit begin with: who asks, who shares the limit, and what those may have spent that are
 * not back yet. It does what the beginning of the scripts of Redis does, whose comments say why. Not thread-safe.
 */
final class Question {

    private static final double BACK_MICROS = 2e6;
    private static final double LONGEST_SILENCE_MICROS = 120e6;
    private static final double SHARERS_MILLIS = 300_000;
    private static final int TOLD_LENGTH = 100;

    final StoreData data;
    final double now;
    final double interval;
    final double valid;
    final double least;
    final double wanted;
    final double lifetimeMillis;
    /** By how much all instants that are kept are to be put back. */
    final double step;
    /** What the process spent without asking; 0 if it was counted before. */
    final double own;
    /** The part of the processes that is not back. */
    final double missing;
    /** What these may have spent since they were asked for last, as a time. */
    final double others;

    double sharers;
    double fair;
    int lost;

    private final String[] keys;
    private final String[] args;

    Question(StoreData data, String[] keys, String[] args) {
        this.data = data;
        this.keys = keys;
        this.args = args;
        this.now = data.now();
        this.interval = number(2);
        this.valid = number(3);
        this.least = number(5);
        this.wanted = number(6);
        this.lifetimeMillis = number(7);
        Members there = data.members(keys[1]);
        this.step = step(there);
        there.put(args[0], (long) now);
        sharers = there.size();
        double silent = Math.rint(now - BACK_MICROS - Math.min(2 * sharers * interval, LONGEST_SILENCE_MICROS));
        there.values().removeIf(at -> at <= silent);
        sharers = there.size();
        data.endIn(keys[1], SHARERS_MILLIS);
        this.own = own();
        double[] expected = expected();
        double count = expected[0];
        if (count > 0) {
            double back = there.values().stream()
                    .filter(at -> at >= now - BACK_MICROS)
                    .count();
            this.missing = Math.max(0, 1 - back / count);
            this.others = Math.max(0, now - expected[1]) * missing;
            sharers = Math.max(sharers, count);
            data.setText(keys[2], whole(count) + ":" + whole(now));
            if (own > 0) {
                data.endIn(keys[2], BACK_MICROS / 1000);
            }
        } else {
            this.missing = 0;
            this.others = 0;
        }
        shareFairly();
    }

    /** {@return an argument, counted from 1} */
    double number(int index) {
        return Double.parseDouble(args[index - 1]);
    }

    String arg(int index) {
        return args[index - 1];
    }

    private double step(Members there) {
        double latest = there.values().stream().mapToLong(Long::longValue).max().orElse(0);
        double back = Math.max(0, latest - now);
        if (back > 0) {
            double all = Math.max(back, number(11) - now);
            there.replaceAll((member, at) -> (long) Math.rint(at - all));
            return all;
        }
        return 0;
    }

    private double own() {
        double spent = number(8);
        if (spent > 0) {
            Map<String, String> tellings = data.map(keys[3]);
            String told = tellings.getOrDefault(args[0], ",");
            String name = args[9] + ",";
            if (told.contains("," + name)) {
                return 0;
            }
            String all = told + name;
            tellings.put(args[0], all.substring(Math.max(0, all.length() - TOLD_LENGTH)));
            data.endIn(keys[3], SHARERS_MILLIS);
        }
        return spent;
    }

    /** {@return how many processes are to come back, and since when their shares were not counted} */
    private double[] expected() {
        String text = data.text(keys[2]);
        double[] kept = text == null ? new double[] {0, now} : numbers(text);
        double count = own > 0 ? Math.max(kept[0], Math.min(number(9), 1e6)) : kept[0];
        return new double[] {count, Math.min(now, kept[1])};
    }

    void shareFairly() {
        fair = Math.max(1, Math.floor(number(4) / interval / sharers));
    }

    List<Object> answer(double permits, double first, double gap, double good, String state) {
        return List.of(
                whole(permits),
                whole(Math.max(0, first)),
                thousandths(gap),
                whole(good),
                whole(sharers),
                state,
                whole(now),
                String.valueOf(lost));
    }

    /** {@return numbers with colons between them} */
    static double[] numbers(String text) {
        String[] parts = text.split(":", -1);
        double[] numbers = new double[parts.length];
        for (int i = 0; i < parts.length; i++) {
            numbers[i] = parts[i].isEmpty() ? 0 : Double.parseDouble(parts[i]);
        }
        return numbers;
    }

    static String whole(double value) {
        return String.format(Locale.ROOT, "%.0f", value);
    }

    static String thousandths(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }
}
