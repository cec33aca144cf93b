package dev.throttle.spring.boot;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.internal.DurationText;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Ends the waits of calls when the application ends, before the web server waits for its requests. A request whose call
 * cannot go in time has its answer then, and does not keep the web server until its connection is cut.
 */
final class ShutdownLifecycle implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger("dev.throttle.spring");

    private final ThrottleRegistry throttles;
    private final Duration time;
    private volatile boolean isRunning;
    private volatile boolean hasEnded;

    /** @param time how long calls may still wait when the application begins to end */
    ShutdownLifecycle(ThrottleRegistry throttles, Duration time) {
        this.throttles = throttles;
        this.time = time;
    }

    /** {@return the time for waits in a phase of the shutdown, of which some is left to send and to answer} */
    static Duration waitsIn(Duration phase) {
        return phase.multipliedBy(9).dividedBy(10);
    }

    @Override
    public void start() {
        if (hasEnded) { // an application that goes on, as after a checkpoint
            hasEnded = false;
            throttles.resume();
        }
        isRunning = true;
    }

    @Override
    public void stop() {
        isRunning = false;
        hasEnded = true;
        int before = waiting();
        throttles.endWaitsWithin(time);
        if (before > 0) {
            LOG.info(
                    "The application ends while {}. Those that cannot go within {} are rejected: {} at once",
                    before == 1 ? "1 call waits" : before + " calls wait",
                    DurationText.spoken(time),
                    Math.max(0, before - waiting()));
        }
    }

    private int waiting() {
        int waiting = 0;
        for (Throttle throttle : throttles.all()) {
            waiting += throttle.snapshot().waiting();
        }
        return waiting;
    }

    @Override
    public boolean isRunning() {
        return isRunning;
    }

    /** The first to be stopped: the phases of web servers, and of most listeners for messages, come later. */
    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }
}
