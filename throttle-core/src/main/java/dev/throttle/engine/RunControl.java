package dev.throttle.engine;

import dev.throttle.ThrottleState;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Pauses, resumes, drains and closes an engine. */
public final class RunControl {

    private final EngineState state;

    RunControl(EngineState state) {
        this.state = state;
    }

    /**
     * Asks for a mode. What is closed stays closed.
     *
     * @return false if the engine has retired, so that its successor is to be asked
     */
    public boolean ask(RunMode mode) {
        boolean[] taken = new boolean[1];
        ThrottleState before = state.run.shown();
        state.underLock(now -> {
            if (!state.traffic.isRetired()) {
                taken[0] = true;
                state.run.ask(mode);
                state.queue.drain(now);
            }
        });
        ThrottleState after = state.run.shown();
        if (after != before) {
            state.log.changed(after);
        }
        return taken[0];
    }

    /** The set that the engine belongs to was asked for a mode. */
    public void follow() {
        state.underLock(state.queue::drain);
    }

    /** Makes sure that from now on nobody is let go whom the set of the engine keeps. Tells nobody. */
    public void prepareToFollow() {
        state.lock.lock();
        try {
            if (!state.run.isRunning()) {
                state.traffic.setSlow(true);
            }
        } finally {
            state.lock.unlock();
        }
    }

    /**
     * Takes no new calls any more.
     *
     * @return completes when nobody waits and nothing is on the wire; null if the engine has retired
     */
    public @Nullable CompletableFuture<Void> drain() {
        CompletableFuture<Void> quiet = null;
        if (ask(RunMode.DRAINING)) {
            quiet = quiet();
        }
        return quiet;
    }

    /** {@return completes when nobody waits and nothing is on the wire, or is cancelled when calls are taken again} */
    public CompletableFuture<Void> quiet() {
        CompletableFuture<Void> quiet;
        state.lock.lock();
        try {
            quiet = state.quiet.watch();
        } finally {
            state.lock.unlock();
        }
        state.underLock(state.queue::drain);
        return quiet;
    }
}
