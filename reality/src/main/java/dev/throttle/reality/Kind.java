package dev.throttle.reality;

/** What a client can know of a limit. The bars of a report differ by it. */
public enum Kind {
    /** Windows of several seconds, and each answer says what remains and when it ends. */
    TOLD_WINDOW("Told windows"),

    /** Windows of one second, told in whole seconds. */
    TOLD_SECOND("Told windows of one second"),

    /** A bucket, mostly: each answer says what remains, but not when more comes. */
    TELLING_BUCKET("What remains is told, but not when more comes"),

    /** Nothing is told but the refusal, and maybe when to come back. */
    SILENT("Nothing told"),

    /** {@code limit_req} without burst: two requests closer than the interval are refused, and nothing is told. */
    SPACED("Nothing told, no burst"),

    /** A refusal locks the client out for longer than the window, or for ever. */
    LOCK_OUT("Lock-outs and bans"),

    /** A number of requests at a time. */
    CONCURRENCY("Limits of concurrency"),

    /** Requests above the limit are delayed, not refused. */
    DELAY("Delays");

    private final String title;

    Kind(String title) {
        this.title = title;
    }

    /** {@return its name in a report} */
    public String title() {
        return title;
    }
}
