package dev.throttle.lab.sim;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The figures of merit of one strategy. Seconds are simulated ones.
 *
 * @param requests requests that the server answered
 * @param accepted those that it accepted
 * @param retryRate refused / sent, mean over the threads that sent anything; 1 if none did
 * @param maxSleepSeconds the longest single wait of any thread, one cut off by the end included
 * @param requestCountStdev sample standard deviation of the requests of each thread; 0 for a single thread
 * @param jain Jain's index of the processes' accepted requests per second of their presence; 0 if none was accepted
 * @param utilisation accepted / what the server could have granted; 0 if it could have granted nothing
 * @param elapsedSeconds when the quota was used up to where the run was to stop; null if that was not asked for, or not
 *     reached in every run
 * @param p50WaitSeconds the median of what calls waited in total, over all their attempts
 * @param p99WaitSeconds the 99th percentile of it
 * @param settleSeconds the longest settling time after a join or leave; null if there was none
 * @param refused requests that the server refused
 * @param failed calls that ended without a 200
 * @param jobs how long the jobs took; null if there were none
 * @param costs what was granted of costs; null if calls have none
 * @param joinRefusals refusals of each process that joined, until the next change; null if none joined
 * @param byScope what became of the calls of each named quota; empty if there are none
 * @param storeRate commands per second of each process to the store of the fleet; null without a fleet
 */
public record Figures(
        double requests,
        double accepted,
        double retryRate,
        double maxSleepSeconds,
        double requestCountStdev,
        double jain,
        double utilisation,
        @Nullable Double elapsedSeconds,
        double p50WaitSeconds,
        double p99WaitSeconds,
        @Nullable Double settleSeconds,
        double refused,
        double failed,
        @Nullable JobFigures jobs,
        @Nullable CostFigures costs,
        @Nullable Double joinRefusals,
        @Nullable Double storeRate,
        Map<String, ScopeFigures> byScope) {

    private static final double SECOND = 1e9;

    /**
     * {@return the figures of one run}
     *
     * @param run what was seen
     */
    public static Figures of(RunRecord run) {
        List<ThreadRecord> threads = run.processes().stream()
                .flatMap(process -> process.threads().stream())
                .toList();
        double requests = threads.stream().mapToLong(ThreadRecord::requests).sum();
        double accepted = threads.stream().mapToLong(ThreadRecord::accepted).sum();
        double[] rates = run.processes().stream()
                .mapToDouble(process -> process.accepted() / Math.max(1, process.presentNanos(run.endedAt()) / SECOND))
                .toArray();
        long[] waits = run.callWaits().sorted();
        return new Figures(
                requests,
                accepted,
                retryRate(threads),
                threads.stream().mapToLong(ThreadRecord::longestWait).max().orElse(0) / SECOND,
                stdev(threads.stream().mapToDouble(ThreadRecord::requests).toArray()),
                jain(rates),
                run.grantable() == 0 ? 0 : accepted / run.grantable(),
                run.isStopped() ? run.endedAt() / SECOND : null,
                percentile(waits, 0.50),
                percentile(waits, 0.99),
                Settling.seconds(run),
                requests - accepted,
                run.failed(),
                JobFigures.of(run),
                CostFigures.of(run),
                FleetFigures.joinRefusals(run),
                FleetFigures.storeRate(run),
                ScopeFigures.of(run));
    }

    private static double retryRate(List<ThreadRecord> threads) {
        double sum = 0;
        int asked = 0;
        for (ThreadRecord thread : threads) {
            if (thread.requests() > 0) {
                sum += (double) thread.refused() / thread.requests();
                asked++;
            }
        }
        return asked == 0 ? 1 : sum / asked;
    }

    private static double stdev(double[] values) {
        if (values.length < 2) {
            return 0;
        }
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        double mean = sum / values.length;
        double squares = 0;
        for (double value : values) {
            squares += (value - mean) * (value - mean);
        }
        return Math.sqrt(squares / (values.length - 1));
    }

    static double jain(double[] values) {
        double sum = 0;
        double squares = 0;
        for (double value : values) {
            sum += value;
            squares += value * value;
        }
        return squares == 0 ? 0 : sum * sum / (values.length * squares);
    }

    /** By nearest rank. */
    private static double percentile(long[] sorted, double share) {
        if (sorted.length == 0) {
            return 0;
        }
        int rank = (int) Math.ceil(share * sorted.length);
        return sorted[Math.max(0, rank - 1)] / SECOND;
    }

    /**
     * {@return the means of the figures of several runs}
     *
     * @param runs one or more
     */
    public static Figures mean(List<Figures> runs) {
        return new Figures(
                mean(runs, Figures::requests),
                mean(runs, Figures::accepted),
                mean(runs, Figures::retryRate),
                mean(runs, Figures::maxSleepSeconds),
                mean(runs, Figures::requestCountStdev),
                mean(runs, Figures::jain),
                mean(runs, Figures::utilisation),
                meanOrNull(runs, Figures::elapsedSeconds),
                mean(runs, Figures::p50WaitSeconds),
                mean(runs, Figures::p99WaitSeconds),
                meanOrNull(runs, Figures::settleSeconds),
                mean(runs, Figures::refused),
                mean(runs, Figures::failed),
                JobFigures.mean(runs.stream().map(Figures::jobs).toList()),
                CostFigures.mean(runs.stream().map(Figures::costs).toList()),
                meanOrNull(runs, Figures::joinRefusals),
                meanOrNull(runs, Figures::storeRate),
                ScopeFigures.mean(runs.stream().map(Figures::byScope).toList()));
    }

    private static double mean(List<Figures> runs, ToDoubleFunction<Figures> figure) {
        double sum = 0;
        for (Figures run : runs) {
            sum += figure.applyAsDouble(run);
        }
        return sum / runs.size();
    }

    static <F> @Nullable Double meanOrNull(List<F> runs, Function<F, @Nullable Double> figure) {
        double sum = 0;
        for (F run : runs) {
            Double value = figure.apply(run);
            if (value == null) {
                return null;
            }
            sum += value;
        }
        return sum / runs.size();
    }
}
