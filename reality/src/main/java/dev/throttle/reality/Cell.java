package dev.throttle.reality;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What is done to a product. */
public enum Cell {
    /** A job of one caller. */
    JOB_1("one caller"),
    /** A job of 8 callers that block. */
    JOB_8("8 callers"),
    /** A job of 64 callers that block. */
    JOB_64("64 callers"),
    /** All calls of a job at once, asynchronously. */
    FLOOD("all calls at once"),
    /** Calls at random times, at half of the limit. */
    OPEN_50("random calls at 50 % of the limit"),
    /** Calls at random times, at nine tenths of the limit. */
    OPEN_90("random calls at 90 % of the limit"),
    /** Two processes of 4 callers that never end. */
    PROCESSES_2("2 processes"),
    /** Five processes of 4 callers that never end. */
    PROCESSES_5("5 processes"),
    /** The server is killed during a job of 8 callers, and started again after a second. */
    RESTART("a restart"),
    /** The server is killed during a job of 8 callers, and started again after ten seconds. */
    OUTAGE("an outage of 10 s"),
    /** The application behind a proxy is away for ten seconds during a job of 8 callers. */
    BAD_GATEWAY("a 502 for 10 s");

    private final String title;

    Cell(String title) {
        this.title = title;
    }

    /** {@return its name on the command line and in results} */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@return its name in a report} */
    public String title() {
        return title;
    }

    /** {@return whether the server, or what is behind it, is away for a while} */
    public boolean isDisturbed() {
        return List.of(RESTART, OUTAGE, BAD_GATEWAY).contains(this);
    }

    /** {@return whether its load is calls at random times} */
    public boolean isOpen() {
        return this == OPEN_50 || this == OPEN_90;
    }

    /** {@return whether its load comes from several processes} */
    public boolean isShared() {
        return this == PROCESSES_2 || this == PROCESSES_5;
    }

    /**
     * {@return the cell of that name}
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Cell named(String name) {
        return Arrays.stream(values())
                .filter(cell -> cell.text().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no cell is named " + name));
    }
}
