package dev.throttle.lab.sim;

import dev.throttle.lab.server.NamedLimit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What became of the calls that one named quota counts.
 *
 * @param accepted requests that the server accepted
 * @param refused requests that it refused
 * @param jobSeconds until the last process had all its answers; null without jobs, or if not all were done
 * @param idealSeconds the earliest end that the quota, threads and latency allow; null without jobs
 * @param slowdown their ratio
 */
public record ScopeFigures(
        double accepted,
        double refused,
        @Nullable Double jobSeconds,
        @Nullable Double idealSeconds,
        @Nullable Double slowdown) {

    private static final double SECOND = 1e9;

    static Map<String, ScopeFigures> of(RunRecord run) {
        Map<String, ScopeFigures> figures = new LinkedHashMap<>();
        List<NamedLimit> scopes = run.scenario().scopes();
        for (int i = 0; i < scopes.size(); i++) {
            figures.put(scopes.get(i).name(), of(run, i));
        }
        return figures;
    }

    private static ScopeFigures of(RunRecord run, int scope) {
        double accepted = 0;
        double refused = 0;
        Double job = run.scenario().demand() instanceof Demand.Jobs ? Double.valueOf(0) : null;
        for (ProcessRecord process : run.processes()) {
            accepted += process.scope(scope).accepted();
            refused += process.scope(scope).refused();
            long doneAt = process.scope(scope).doneAt();
            job = job == null || doneAt == Long.MAX_VALUE ? null : Math.max(job, doneAt / SECOND);
        }
        Long nanos = Ideal.jobsDoneAt(run.scenario(), scope, run.serverSeed());
        Double ideal = nanos == null ? null : nanos / SECOND;
        return new ScopeFigures(accepted, refused, job, ideal, job == null || ideal == null ? null : job / ideal);
    }

    static Map<String, ScopeFigures> mean(List<Map<String, ScopeFigures>> runs) {
        Map<String, ScopeFigures> means = new LinkedHashMap<>();
        for (String name : runs.get(0).keySet()) {
            List<ScopeFigures> all = runs.stream().map(run -> run.get(name)).toList();
            means.put(
                    name,
                    new ScopeFigures(
                            all.stream()
                                    .mapToDouble(ScopeFigures::accepted)
                                    .average()
                                    .orElse(0),
                            all.stream()
                                    .mapToDouble(ScopeFigures::refused)
                                    .average()
                                    .orElse(0),
                            Figures.meanOrNull(all, ScopeFigures::jobSeconds),
                            Figures.meanOrNull(all, ScopeFigures::idealSeconds),
                            Figures.meanOrNull(all, ScopeFigures::slowdown)));
        }
        return means;
    }
}
