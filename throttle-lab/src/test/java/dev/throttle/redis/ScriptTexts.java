package dev.throttle.redis;

/** The scripts of a bucket, for tests that run them without a fleet. */
public final class ScriptTexts {

    private ScriptTexts() {}

    /** {@return the script that leases permits} */
    public static String take() {
        return BucketScripts.TAKE.text();
    }

    /** {@return the script that takes permits back} */
    public static String give() {
        return BucketScripts.GIVE.text();
    }
}
