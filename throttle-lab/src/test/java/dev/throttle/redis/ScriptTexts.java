package dev.throttle.redis;

import dev.throttle.lease.fleet.Step;

/** The scripts of a fleet, for tests that run them without one. */
public final class ScriptTexts {

    private ScriptTexts() {}

    /** {@return the script that does a step} */
    public static String of(Step step) {
        return RedisStore.script(step).text();
    }
}
