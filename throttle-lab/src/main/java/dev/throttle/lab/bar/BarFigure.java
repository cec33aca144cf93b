package dev.throttle.lab.bar;

import dev.throttle.lab.server.Outage;
import dev.throttle.lab.sim.Change;
import dev.throttle.lab.sim.Figures;
import dev.throttle.lab.sim.Foreign;
import dev.throttle.lab.sim.JobFigures;
import dev.throttle.lab.sim.LongList;
import dev.throttle.lab.sim.ProcessRecord;
import dev.throttle.lab.sim.RunRecord;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** A figure on which a group of scenarios is judged. Each is null for a run in which it has no meaning. */
public enum BarFigure {
    /** Time of the jobs / the earliest end; a job that is not done counts as done at the end of the run. */
    SLOWDOWN("slowdown") {
        @Override
        @Nullable Double of(RunRecord run, Figures figures) {
            JobFigures jobs = figures.jobs();
            Double ideal = jobs == null ? null : jobs.idealSeconds();
            if (jobs == null || ideal == null) {
                return null;
            }
            Double slowdown = jobs.slowdown();
            return slowdown == null ? Double.valueOf(run.endedAt() / SECOND / ideal) : slowdown;
        }
    },
    /** Refused / sent. */
    REFUSED("refused%") {
        @Override
        Double of(RunRecord run, Figures figures) {
            return figures.requests() == 0 ? PERCENT : PERCENT * figures.refused() / figures.requests();
        }
    },
    /** Requests that were refused although they left after an answer that told what was left. */
    TOLD_REFUSED("told-refused") {
        @Override
        Double of(RunRecord run, Figures figures) {
            return (double) run.refusedThoughTold();
        }
    },
    /** The 99th percentile of what calls waited, in seconds. */
    P99("p99") {
        @Override
        Double of(RunRecord run, Figures figures) {
            return figures.p99WaitSeconds();
        }
    },
    /** Calls that ended without a 200. */
    FAILED("failed") {
        @Override
        Double of(RunRecord run, Figures figures) {
            return figures.failed();
        }
    },
    /** Accepted / what could have been accepted, had everything been known. */
    ACCEPTED("accepted%") {
        @Override
        Double of(RunRecord run, Figures figures) {
            return PERCENT * figures.accepted() / Math.max(1, run.acceptable());
        }
    },
    /** Jain's index over the processes. */
    JAIN("jain") {
        @Override
        Double of(RunRecord run, Figures figures) {
            return figures.jain();
        }
    },
    /** The longest single wait, in seconds. */
    LONGEST("longest") {
        @Override
        Double of(RunRecord run, Figures figures) {
            return figures.maxSleepSeconds();
        }
    },
    /** The standard deviation of the requests of each thread. */
    SPREAD("spread") {
        @Override
        Double of(RunRecord run, Figures figures) {
            return figures.requestCountStdev();
        }
    },
    /** Accepted / what the server could have granted. */
    USED("used%") {
        @Override
        Double of(RunRecord run, Figures figures) {
            return PERCENT * figures.utilisation();
        }
    },
    /** Accepted / the share that each process had, if the foreign ones got no more than the own. */
    SHARE("share%") {
        @Override
        Double of(RunRecord run, Figures figures) {
            Foreign foreign = run.scenario().foreign();
            double own = run.scenario().processes();
            return PERCENT * figures.utilisation() * (own + (foreign == null ? 0 : foreign.processes())) / own;
        }
    },
    /** When the quota was used up, in seconds. */
    CLEAR("clear") {
        @Override
        @Nullable Double of(RunRecord run, Figures figures) {
            return figures.elapsedSeconds();
        }
    },
    /** The longest settling time after a join or leave, in seconds. */
    SETTLE("settle") {
        @Override
        @Nullable Double of(RunRecord run, Figures figures) {
            return figures.settleSeconds();
        }
    },
    /** Refusals from the first join to the next change, by the processes present then. */
    REFUSALS_EACH("refusals-each") {
        @Override
        @Nullable Double of(RunRecord run, Figures figures) {
            List<Change> changes = run.scenario().changes();
            if (changes.isEmpty()) {
                return null;
            }
            long from = changes.get(0).at().toNanos();
            long to = changes.size() > 1 ? changes.get(1).at().toNanos() : run.endedAt();
            LongList refusedAt = run.refusedAt();
            int count = 0;
            for (int i = 0; i < refusedAt.size(); i++) {
                count += refusedAt.get(i) >= from && refusedAt.get(i) < to ? 1 : 0;
            }
            return count / (double) run.processes().size();
        }
    },
    /** How long after an outage it took until a request was accepted again, in seconds; the longest of all outages. */
    BACK("back") {
        @Override
        @Nullable Double of(RunRecord run, Figures figures) {
            return worstOfOutages(run, outage -> {
                long end = outage.end().toNanos();
                long first = run.endedAt();
                for (ProcessRecord process : run.processes()) {
                    int before = process.acceptedAt().countBelow(end);
                    if (before < process.acceptedAt().size()) {
                        first = Math.min(first, process.acceptedAt().get(before));
                    }
                }
                return (first - end) / SECOND;
            });
        }
    },
    /** Requests that met an outage; the most of all outages. */
    IN_VAIN("in-vain") {
        @Override
        @Nullable Double of(RunRecord run, Figures figures) {
            return worstOfOutages(
                    run,
                    outage -> run.processes().stream()
                            .mapToDouble(process -> process.refusedBefore(
                                            outage.end().toNanos())
                                    - process.refusedBefore(outage.from().toNanos()))
                            .sum());
        }
    },
    /** The cost of what was accepted / what could have been accepted, had everything been known, of endless demand. */
    TOKENS("tokens%") {
        @Override
        @Nullable Double of(RunRecord run, Figures figures) {
            boolean counts = figures.costs() != null && figures.jobs() == null;
            return counts ? Double.valueOf(PERCENT * run.acceptedCost() / Math.max(1, run.acceptableCost())) : null;
        }
    },
    /** Jain's index over the costs of the processes. */
    TOKEN_JAIN("token-jain") {
        @Override
        @Nullable Double of(RunRecord run, Figures figures) {
            return figures.costs() == null || figures.jobs() != null
                    ? null
                    : Double.valueOf(figures.costs().jain());
        }
    };

    private static final double SECOND = 1e9;
    private static final double PERCENT = 100;

    private final String text;

    BarFigure(String text) {
        this.text = text;
    }

    /** {@return its name in the table of scenarios} */
    public String text() {
        return text;
    }

    abstract @Nullable Double of(RunRecord run, Figures figures);

    /** {@return the largest value of all outages that had ended before the run did; null if there is none} */
    private static @Nullable Double worstOfOutages(RunRecord run, ToDoubleFunction<Outage> value) {
        OptionalDouble worst = run.scenario().server().script().outages().stream()
                .filter(outage -> outage.end().toNanos() < run.endedAt())
                .mapToDouble(value)
                .max();
        return worst.isPresent() ? worst.getAsDouble() : null;
    }

    static BarFigure named(String name) {
        for (BarFigure figure : values()) {
            if (figure.text.equals(name.toLowerCase(Locale.ROOT))) {
                return figure;
            }
        }
        throw new IllegalArgumentException("no figure has the name " + name);
    }
}
