package dev.throttle.lab.sim;

import dev.throttle.lab.server.Load;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** What the calls of one process take, one after the other. The same for every client, and for the ideal. */
final class CallCosts {

    private static final long PROCESS = 0x9E3779B97F4A7C15L;

    private final @Nullable Costs costs;
    private final Scenario scenario;
    private final SplittableRandom random;
    private long calls;

    CallCosts(Scenario scenario, long serverSeed, int process) {
        this.costs = scenario.costs();
        this.scenario = scenario;
        this.random = new SplittableRandom(serverSeed ^ (process + 1) * PROCESS);
    }

    /** {@return what the next call takes} */
    Load next() {
        if (costs == null) {
            return Load.NONE;
        }
        calls++;
        double factor = 1;
        for (CostChange change : costs.changes()) {
            factor = calls >= change.call() ? change.factor() : factor;
        }
        LogNormal output = costs.output();
        long first = amount(costs.first(), factor, 0);
        long second = output == null ? 0 : amount(output, factor, 1);
        double told = costs.estimate() == null ? 1 : costs.estimate();
        return new Load(first, second, told, !costs.stream().isZero());
    }

    private long amount(LogNormal law, double factor, int index) {
        return Math.max(1, Math.min(Costs.most(scenario.server(), index), Math.round(law.draw(random) * factor)));
    }
}
