package dev.throttle.lab.sim;

import org.jspecify.annotations.Nullable;

/** The figures in the order they are shown. */
public enum FigureColumn {
    REQUESTS("requests", "requests", 0, 1),
    ACCEPTED("accepted", "accepted", 0, 1),
    RETRY_RATE("retryRate", "retry %", 2, 100),
    MAX_SLEEP("maxSleepSeconds", "max sleep s", 2, 1),
    STDEV("requestCountStdev", "stdev requests", 2, 1),
    JAIN("jain", "jain", 3, 1),
    UTILISATION("utilisation", "used %", 2, 100),
    ELAPSED("elapsedSeconds", "clear s", 2, 1),
    P50_WAIT("p50WaitSeconds", "p50 wait s", 2, 1),
    P99_WAIT("p99WaitSeconds", "p99 wait s", 2, 1),
    SETTLE("settleSeconds", "settle s", 0, 1),
    REFUSED("refused", "refused", 0, 1),
    FAILED("failed", "failed", 0, 1),
    JOB("jobSeconds", "job s", 2, 1),
    IDEAL("idealSeconds", "ideal s", 2, 1),
    SLOWDOWN("slowdown", "slowdown", 3, 1),
    COST_UTILISATION("costUtilisation", "cost used %", 2, 100),
    COST_JAIN("costJain", "cost jain", 3, 1),
    JOIN_REFUSALS("joinRefusals", "refusals each who joins", 2, 1),
    STORE_RATE("storeCommandsPerSecond", "store commands/s", 2, 1);

    private final String key;
    private final String title;
    private final int decimals;
    private final int factor;

    FigureColumn(String key, String title, int decimals, int factor) {
        this.key = key;
        this.title = title;
        this.decimals = decimals;
        this.factor = factor;
    }

    /** {@return its name in JSON} */
    public String key() {
        return key;
    }

    /** {@return its heading in a table for people} */
    public String title() {
        return title;
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
