package dev.throttle.lab.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Runs strategies on the same scenario with the same seeds.
 *
 * @param scenario what to simulate
 * @param runs how often, each time with random numbers of its own
 * @param seed the source of all randomness
 * @param traced whether to keep what a chart of the first run needs
 */
public record Comparison(Scenario scenario, int runs, long seed, boolean traced) {

    /**
     * The results of one strategy.
     *
     * @param strategy its name
     * @param figures the means over the runs
     * @param trace the first run, if it is to be drawn
     */
    public record Result(
            String strategy, Figures figures, @Nullable RunRecord trace) {}

    /**
     * {@return what becomes of a strategy}
     *
     * @param name its name
     * @param client what its processes send with
     * @param afterRun is told after each run
     */
    public Result run(String name, Client.Factory client, Runnable afterRun) {
        SplittableRandom seeds = new SplittableRandom(seed);
        List<Figures> figures = new ArrayList<>();
        RunRecord first = null;
        for (int i = 0; i < runs; i++) {
            boolean trace = traced && i == 0;
            RunRecord run = Simulation.run(scenario, client, seeds.nextLong(), trace);
            figures.add(Figures.of(run));
            first = trace ? run : first;
            afterRun.run();
        }
        return new Result(name, Figures.mean(figures), first);
    }
}
