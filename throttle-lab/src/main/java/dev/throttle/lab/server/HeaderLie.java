package dev.throttle.lab.server;

import java.util.Locale;

/** What a simulated server tells wrongly about its quota; what it grants is not touched. */
public enum HeaderLie {
    /** Nothing. */
    NONE,
    /** Nothing is ever left, even when the request is accepted. */
    STUCK,
    /** What is left is a negative number. */
    NEGATIVE,
    /** One answer in five tells any number. */
    JUMPS,
    /** One answer in two tells nothing. */
    MISSING,
    /** The reset is a year away. */
    HUGE_RESET,
    /** The reset is an hour and more later than in truth. */
    SKEWED;

    private static final long SECOND = 1_000_000_000L;
    private static final long HOUR = 3600 * SECOND;
    private static final long YEAR = 365 * 24 * HOUR;
    private static final int MOST = 10_000;
    private static final int ONE_IN = 5;

    /** {@return the name on the command line} */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@return what the headers show of an answer; the same for the same answer} */
    Answer of(Answer answer) {
        long draw = Math.floorMod(((answer.remaining() * 31 + answer.resetNanos()) * 0x9E3779B97F4A7C15L) >>> 20, MOST);
        return switch (this) {
            case NONE -> answer;
            case STUCK -> answer.remaining(0);
            case NEGATIVE -> answer.remaining(-2 - draw);
            case JUMPS -> answer.remaining(draw % ONE_IN == 0 ? draw : answer.remaining());
            case MISSING -> answer.remaining(draw % 2 == 0 ? Answer.UNKNOWN : answer.remaining());
            case HUGE_RESET -> answer.reset(YEAR);
            case SKEWED -> answer.reset(answer.resetNanos() + HOUR);
        };
    }
}
