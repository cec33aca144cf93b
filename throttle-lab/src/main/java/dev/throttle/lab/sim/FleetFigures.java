package dev.throttle.lab.sim;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Figures that tell what a fleet gains, and what it costs. */
final class FleetFigures {

    private static final double SECOND = 1e9;

    private FleetFigures() {}

    /** {@return refusals of each process that joined, until the next change; null if none joined} */
    static @Nullable Double joinRefusals(RunRecord run) {
        List<Change> changes = run.scenario().changes();
        long refused = 0;
        long joined = 0;
        for (int i = 0; i < changes.size(); i++) {
            long from = changes.get(i).at().toNanos();
            long to = i + 1 < changes.size() ? changes.get(i + 1).at().toNanos() : run.endedAt();
            for (ProcessRecord process : run.processes()) {
                if (changes.get(i).processes() > 0 && process.joinedAt() == from) {
                    refused += process.refusedBefore(to);
                    joined++;
                }
            }
        }
        return joined == 0 ? null : (double) refused / joined;
    }

    /** {@return commands per second of each process to the store; null without a fleet} */
    static @Nullable Double storeRate(RunRecord run) {
        double seconds = run.processes().stream()
                        .mapToLong(process -> process.presentNanos(run.endedAt()))
                        .sum()
                / SECOND;
        return run.storeCommands() < 0 || seconds <= 0 ? null : run.storeCommands() / seconds;
    }
}
