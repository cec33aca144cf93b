package dev.throttle.observe;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How well a law explains what was recorded of a limit.
 *
 * @param law the law
 * @param limit the limit that explains most
 * @param mistakes verdicts that it does not explain
 * @param error how much what was told differs from what it predicts, in units
 * @param others what others have used and given back, as far as it was told
 */
record Fit(Law law, double limit, int mistakes, double error, List<Use> others) {

    /** Something that was used by others, or given back, at an instant. */
    record Use(long at, double amount) {}

    /** {@return how badly it explains what was recorded} */
    double badness() {
        return mistakes + error;
    }

    private static final double LEAST_SHARE = 0.02;
    private static final double HALF = 0.5;

    /**
     * {@return the same without the part of others' use that is only the uncertainty of the order in which the server
     * saw requests, and of the ends of windows} In each window what was given back is taken from what was used. The
     * first one stays, which is what was in use at the beginning.
     *
     * @param own what the program itself has used
     */
    Fit withoutNoise(double own) {
        if (others.isEmpty()) {
            return this;
        }
        long window = (long) Math.max(1e9, law.kind() == Law.Kind.BUCKET ? law.window() * limit : law.window());
        List<Use> uses = new ArrayList<>();
        double sum = 0;
        int from = 1;
        double owed = 0;
        while (from < others.size()) {
            int to = from;
            double net = owed;
            double used = 0;
            while (to < others.size() && others.get(to).at - others.get(from).at < window) {
                net += others.get(to).amount;
                used += Math.max(0, others.get(to).amount);
                to++;
            }
            owed = Math.min(0, net);
            for (int i = from; i < to && net > 0; i++) {
                if (others.get(i).amount > 0) {
                    uses.add(new Use(others.get(i).at, others.get(i).amount * net / used));
                }
            }
            sum += Math.max(0, net);
            from = to;
        }
        List<Use> kept = new ArrayList<>(others.subList(0, 1));
        if (sum > LEAST_SHARE * (own + sum)) {
            kept.addAll(uses);
        }
        return new Fit(law, limit, mistakes, error, kept);
    }

    /**
     * Tries a law.
     *
     * @param law the law
     * @param told the limit; NaN if it is not known
     * @param readings what was recorded, by time
     */
    static Fit of(Law law, double told, List<Reading> readings) {
        Usage usage = law.start();
        boolean isTold = !Double.isNaN(told);
        List<Use> others = new ArrayList<>();
        double[] granted = new double[readings.size()];
        double[] refused = new double[readings.size()];
        int grants = 0;
        int refusals = 0;
        double error = 0;
        boolean isFirst = true;
        for (int i = 0; i < readings.size(); i++) {
            Reading reading = readings.get(i);
            double needed = usage.used(reading.at()) + reading.amount();
            if (Boolean.TRUE.equals(reading.verdict())) {
                granted[grants++] = needed;
            } else if (reading.verdict() != null) {
                refused[refusals++] = needed;
            }
            if (reading.isGranted()) {
                usage.add(reading.amount(), reading.at());
            }
            Double remaining = reading.remaining();
            if (isTold && remaining != null) {
                double used = usage.used(reading.at());
                double meant = Math.max(0, told - remaining);
                if (used > meant || used <= meant - 1) { // what is left was rounded down
                    boolean isWhole = law.kind() != Law.Kind.BUCKET;
                    double difference = used > meant || isWhole ? meant - used : meant - HALF - used;
                    usage.add(difference, reading.at());
                    others.add(new Use(reading.at(), difference));
                    error += isFirst ? 0 : Math.abs(difference);
                }
                isFirst = false;
            }
        }
        double[] accepted = Arrays.copyOf(granted, grants);
        double[] rejected = Arrays.copyOf(refused, refusals);
        double limit = isTold ? told : best(accepted, rejected);
        return new Fit(law, limit, mistakes(accepted, rejected, limit), error, others);
    }

    private static int mistakes(double[] accepted, double[] rejected, double limit) {
        int mistakes = 0;
        for (double needed : accepted) {
            mistakes += needed > limit ? 1 : 0;
        }
        for (double needed : rejected) {
            mistakes += needed <= limit ? 1 : 0;
        }
        return mistakes;
    }

    /** Sorts both; {@return the limit with the fewest mistakes; the middle, where several have as few} */
    private static double best(double[] accepted, double[] rejected) {
        if (rejected.length == 0) {
            return Double.POSITIVE_INFINITY;
        }
        Arrays.sort(accepted);
        Arrays.sort(rejected);
        int granted = 0;
        int refused = 0;
        int fewest = accepted.length; // with a limit below all of them
        double next = next(accepted, 0, rejected, 0);
        double best = Math.max(0, next / 2);
        while (next < Double.POSITIVE_INFINITY) {
            double limit = next;
            while (granted < accepted.length && accepted[granted] <= limit) {
                granted++;
            }
            while (refused < rejected.length && rejected[refused] <= limit) {
                refused++;
            }
            next = next(accepted, granted, rejected, refused);
            int mistakes = accepted.length - granted + refused;
            if (mistakes < fewest) {
                fewest = mistakes;
                best = next < Double.POSITIVE_INFINITY ? (limit + next) / 2 : limit;
            }
        }
        return best;
    }

    /** {@return the least value from two points on; infinite if there is none} */
    private static double next(double[] accepted, int granted, double[] rejected, int refused) {
        double first = granted < accepted.length ? accepted[granted] : Double.POSITIVE_INFINITY;
        return refused < rejected.length ? Math.min(first, rejected[refused]) : first;
    }
}
