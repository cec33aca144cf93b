package dev.throttle.lab.sim;

import org.jspecify.annotations.Nullable;

/** The figures in the order they are shown. */
public enum FigureColumn {
    REQUESTS("requests", "requests", 0, 1, "requests that the server answered"),
    ACCEPTED("accepted", "accepted", 0, 1, "those that it accepted"),
    RETRY_RATE("retryRate", "retry %", 2, 100, "of a hundred requests of a thread, how many were refused"),
    MAX_SLEEP("maxSleepSeconds", "max sleep s", 2, 1, "the longest single wait of any thread"),
    STDEV(
            "requestCountStdev",
            "stdev requests",
            2,
            1,
            "how much the requests of single threads differ: their standard deviation"),
    JAIN(
            "jain",
            "jain",
            3,
            1,
            "how evenly the processes share what is accepted (Jain's index): 1 if all get the same, 1/n if one of n gets all"),
    UTILISATION(
            "utilisation",
            "used %",
            2,
            100,
            "of a hundred requests that the server could have accepted, how many it did"),
    ELAPSED(
            "elapsedSeconds",
            "clear s",
            2,
            1,
            "when the stock of requests was used up, which ended the run; only with --stop-under"),
    P50_WAIT(
            "p50WaitSeconds",
            "p50 wait s",
            2,
            1,
            "half of the calls waited no longer than this, in all their attempts"),
    P99_WAIT("p99WaitSeconds", "p99 wait s", 2, 1, "99 of 100 calls waited no longer than this"),
    SETTLE(
            "settleSeconds",
            "settle s",
            0,
            1,
            "how long it took, after processes joined or left, until the quota was used and shared evenly again; the longest time of all changes"),
    REFUSED("refused", "refused", 0, 1, "requests that the server refused"),
    FAILED("failed", "failed", 0, 1, "calls that ended without being accepted"),
    JOB("jobSeconds", "job s", 2, 1, "when the last process had all its answers"),
    IDEAL("idealSeconds", "ideal s", 2, 1, "when it could have had them at the earliest"),
    SLOWDOWN("slowdown", "slowdown", 3, 1, "the time of the jobs divided by the ideal one; 1 is the best"),
    COST_UTILISATION(
            "costUtilisation",
            "cost used %",
            2,
            100,
            "of a hundred units that the server could have granted, how many were used"),
    COST_JAIN("costJain", "cost jain", 3, 1, "how evenly the processes share the units: 1 if all get the same"),
    JOIN_REFUSALS(
            "joinRefusals",
            "refusals each who joins",
            2,
            1,
            "refusals of each process that joined, until the next change"),
    STORE_RATE(
            "storeCommandsPerSecond",
            "store commands/s",
            2,
            1,
            "commands a second that each process sent to the store of its fleet");

    private final String key;
    private final String title;
    private final int decimals;
    private final int factor;
    private final String meaning;

    FigureColumn(String key, String title, int decimals, int factor, String meaning) {
        this.key = key;
        this.title = title;
        this.decimals = decimals;
        this.factor = factor;
        this.meaning = meaning;
    }

    /** {@return its name in JSON} */
    public String key() {
        return key;
    }

    /** {@return its heading in a table for people} */
    public String title() {
        return title;
    }

    /** {@return what it says, in a line} */
    public String meaning() {
        return meaning;
    }

    /** {@return how many decimals a table shows} */
    public int decimals() {
        return decimals;
    }

    /** {@return by what a table multiplies it} */
    public int factor() {
        return factor;
    }

    /**
     * {@return its value; null if there is none}
     *
     * @param figures the figures of a strategy
     */
    public @Nullable Double of(Figures figures) {
        return switch (this) {
            case REQUESTS -> figures.requests();
            case ACCEPTED -> figures.accepted();
            case RETRY_RATE -> figures.retryRate();
            case MAX_SLEEP -> figures.maxSleepSeconds();
            case STDEV -> figures.requestCountStdev();
            case JAIN -> figures.jain();
            case UTILISATION -> figures.utilisation();
            case ELAPSED -> figures.elapsedSeconds();
            case P50_WAIT -> figures.p50WaitSeconds();
            case P99_WAIT -> figures.p99WaitSeconds();
            case SETTLE -> figures.settleSeconds();
            case REFUSED -> figures.refused();
            case FAILED -> figures.failed();
            case JOB -> figures.jobs() == null ? null : figures.jobs().jobSeconds();
            case IDEAL -> figures.jobs() == null ? null : figures.jobs().idealSeconds();
            case SLOWDOWN -> figures.jobs() == null ? null : figures.jobs().slowdown();
            case COST_UTILISATION ->
                figures.costs() == null ? null : figures.costs().utilisation();
            case JOIN_REFUSALS -> figures.joinRefusals();
            case STORE_RATE -> figures.storeRate();
            case COST_JAIN ->
                figures.costs() == null ? null : Double.valueOf(figures.costs().jain());
        };
    }

    /**
     * {@return whether a table for people shows it} Jobs and failures are shown where there are any; the rest always.
     *
     * @param figures the figures of a strategy
     */
    public boolean isShown(Figures figures) {
        return switch (this) {
            case REFUSED -> figures.jobs() != null || figures.costs() != null;
            case JOB, IDEAL, SLOWDOWN -> figures.jobs() != null;
            case COST_UTILISATION, COST_JAIN -> figures.costs() != null;
            case FAILED -> figures.failed() > 0;
            case JOIN_REFUSALS, STORE_RATE -> figures.storeRate() != null;
            default -> true;
        };
    }
}
