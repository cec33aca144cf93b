package dev.throttle.lab.server;

import java.time.Duration;

/**
 * A time in which the server is not there. Whatever answers in its place sends no hints.
 *
 * @param from when it begins, from the start
 * @param length how long it lasts
 * @param status what everything is answered with: 503, 502, or {@link Answer#REFUSED} if connections are refused
 * @param forgets whether the server has lost all counts afterwards
 */
public record Outage(Duration from, Duration length, int status, boolean forgets) {

    /**
     * A time of 503, after which the server goes on as if nothing had happened.
     *
     * @param from when it begins, from the start
     * @param length how long it lasts
     */
    public Outage(Duration from, Duration length) {
        this(from, length, Answer.SERVICE_UNAVAILABLE, false);
    }

    /**
     * {@return a restart: connections are refused until the server is back, and then it has lost all counts}
     *
     * @param from when it begins, from the start
     * @param length how long it lasts
     */
    public static Outage restart(Duration from, Duration length) {
        return new Outage(from, length, Answer.REFUSED, true);
    }

    /** {@return when it ends, from the start} */
    public Duration end() {
        return from.plus(length);
    }

    /** {@return the name of the option that asks for it} */
    String option() {
        return forgets ? "--restart" : "--outage";
    }
}
