package dev.throttle.lab.sim;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The figures of costs.
 *
 * @param utilisation accepted cost / what the server could have granted, of the limit where that is most; null if the
 *     server does not limit costs
 * @param jain Jain's index of the processes' accepted cost per second of their presence; 0 if none was accepted
 */
public record CostFigures(@Nullable Double utilisation, double jain) {

    private static final double SECOND = 1e9;

    static @Nullable CostFigures of(RunRecord run) {
        if (run.scenario().costs() == null) {
            return null;
        }
        double[] rates = run.processes().stream()
                .mapToDouble(process -> (process.acceptedCost(0) + process.acceptedCost(1))
                        / Math.max(1, process.presentNanos(run.endedAt()) / SECOND))
                .toArray();
        Double used = null;
        for (int i = 0; i < 2; i++) {
            double grantable = run.grantableCost(i);
            if (grantable > 0) {
                double share = run.acceptedCost(i) / grantable;
                used = used == null ? share : Math.max(used, share);
            }
        }
        return new CostFigures(used, Figures.jain(rates));
    }

    static @Nullable CostFigures mean(List<@Nullable CostFigures> runs) {
        if (runs.stream().anyMatch(Objects::isNull)) {
            return null;
        }
        List<CostFigures> all = runs.stream().map(Objects::requireNonNull).toList();
        double jain = all.stream().mapToDouble(CostFigures::jain).sum() / all.size();
        return new CostFigures(Figures.meanOrNull(all, CostFigures::utilisation), jain);
    }
}
