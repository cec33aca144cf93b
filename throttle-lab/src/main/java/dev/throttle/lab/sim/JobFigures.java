package dev.throttle.lab.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How long jobs took. What was not done by the end of a run is null.
 *
 * @param jobSeconds from the start of the run until the last process had all its answers
 * @param idealSeconds the earliest end that server, threads and latency allow, had everything been known and had
 *     refusals cost nothing; null if the server can never do it
 * @param slowdown their ratio
 * @param byProcess how long each process took, from its own start
 */
public record JobFigures(
        @Nullable Double jobSeconds,
        @Nullable Double idealSeconds,
        @Nullable Double slowdown,
        List<@Nullable Double> byProcess) {

    private static final double SECOND = 1e9;

    static @Nullable JobFigures of(RunRecord run) {
        if (!(run.scenario().demand() instanceof Demand.Jobs)) {
            return null;
        }
        List<@Nullable Double> byProcess = new ArrayList<>();
        Double last = 0.0;
        for (ProcessRecord process : run.processes()) {
            byProcess.add(process.isDone() ? (process.doneAt() - process.joinedAt()) / SECOND : null);
            last = last == null || !process.isDone() ? null : Math.max(last, process.doneAt() / SECOND);
        }
        Long ideal = run.idealNanos();
        Double idealSeconds = ideal == null ? null : ideal / SECOND;
        Double slowdown = last == null || idealSeconds == null ? null : last / idealSeconds;
        return new JobFigures(last, idealSeconds, slowdown, byProcess);
    }

    static @Nullable JobFigures mean(List<@Nullable JobFigures> runs) {
        if (runs.stream().anyMatch(Objects::isNull)) {
            return null;
        }
        List<JobFigures> all = runs.stream().map(Objects::requireNonNull).toList();
        List<@Nullable Double> byProcess = new ArrayList<>();
        int processes =
                all.stream().mapToInt(run -> run.byProcess().size()).max().orElse(0);
        for (int i = 0; i < processes; i++) {
            int process = i;
            byProcess.add(Figures.meanOrNull(
                    all,
                    run -> process < run.byProcess().size() ? run.byProcess().get(process) : null));
        }
        return new JobFigures(
                Figures.meanOrNull(all, JobFigures::jobSeconds),
                Figures.meanOrNull(all, JobFigures::idealSeconds),
                Figures.meanOrNull(all, JobFigures::slowdown),
                byProcess);
    }
}
