package dev.throttle.lab.bar;

import dev.throttle.lab.sim.Client;
import dev.throttle.lab.sim.Comparison;
import dev.throttle.lab.sim.Figures;
import dev.throttle.lab.sim.RunRecord;
import dev.throttle.lab.sim.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * What one strategy did in one scenario.
 *
 * @param scenario the arguments of {@code compare}
 * @param means the mean of each criterion's figure over the runs; null where it has no meaning
 */
public record BarResult(String scenario, List<@Nullable Double> means) {

    /**
     * {@return the figures of a strategy in a scenario}
     *
     * @param scenario the arguments of {@code compare}
     * @param comparison what they mean
     * @param client what the processes send with
     * @param criteria the figures that are wanted
     */
    public static BarResult of(
            String scenario, Comparison comparison, Client.Factory client, List<Criterion> criteria) {
        SplittableRandom seeds = new SplittableRandom(comparison.seed());
        double[] sums = new double[criteria.size()];
        boolean[] known = new boolean[criteria.size()];
        java.util.Arrays.fill(known, true);
        for (int i = 0; i < comparison.runs(); i++) {
            boolean traced = !comparison.scenario().changes().isEmpty();
            RunRecord run = Simulation.run(comparison.scenario(), client, seeds.nextLong(), traced);
            Figures figures = Figures.of(run);
            for (int each = 0; each < sums.length; each++) {
                Double value = criteria.get(each).figure().of(run, figures);
                known[each] &= value != null;
                sums[each] += value == null ? 0 : value;
            }
        }
        List<@Nullable Double> means = new ArrayList<>();
        for (int each = 0; each < sums.length; each++) {
            means.add(known[each] ? Double.valueOf(sums[each] / comparison.runs()) : null);
        }
        return new BarResult(scenario, means);
    }
}
