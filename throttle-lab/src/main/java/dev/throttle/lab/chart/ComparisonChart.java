package dev.throttle.lab.chart;

import dev.throttle.lab.sim.Comparison;
import java.nio.file.Path;
import java.util.List;

public final class ComparisonChart {
    private ComparisonChart() {}

    public static void save(List<Comparison.Result> results, Path file) {}
}
