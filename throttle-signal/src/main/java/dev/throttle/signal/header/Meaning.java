package dev.throttle.signal.header;

/**
 * What a header tells, and in which form: the words that an entry of the table of vendors has behind a header's name.
 */
public enum Meaning {
    /** How much is granted: a number, with a window or policies behind it, or a list. */
    LIMIT("limit"),
    /** What remains. */
    REMAINING("remaining"),
    /** What is used up. */
    USED("used"),
    /** {@code 32/40}, used and granted, or {@code name=25/5000; other=7/250}. */
    USED_OF_LIMIT("used/limit"),
    /** A limit, its parts by name, or both: {@code 100}, {@code total=100; remaining=99}, JSON. */
    QUOTA("quota"),
    /** {@code 60:error;transaction:organization}: seconds and the names of quotas that are used up. */
    CLOSED("closed"),
    /** {@code name;197,other;1192}: names and what remains. */
    REMAINING_BY_NAME("remaining by name"),
    /** The size of a bucket, where there is no limit. */
    BURST("burst"),
    /** What is granted per second, or per window. */
    RATE("rate"),
    /** When there is more, in any form. */
    RESET("reset"),
    RESET_SECONDS("reset seconds"),
    RESET_MINUTES("reset minutes"),
    /** Milliseconds from now or since 1970. */
    RESET_MILLIS("reset milliseconds"),
    /** Milliseconds from now; also where another header names an instant. */
    RESET_AFTER_MILLIS("reset after milliseconds"),
    RESET_EPOCH("reset epoch"),
    /** A time that counts only where there is no other. */
    RESET_REPEATED("reset repeated"),
    /** The length of a window in seconds, or in words. */
    WINDOW("window"),
    WINDOW_MILLIS("window milliseconds"),
    /** The name of the quota whose headers contain none; the most telling one. */
    RESOURCE("resource"),
    BUCKET("bucket"),
    NAME("name"),
    /** What this call has cost. */
    COST("cost"),
    /** How many units each call takes, in a bucket that tells its size and its rate: these are divided by it. */
    COST_OF_EACH("cost of each"),
    /** {@code Retry-After} itself. */
    RETRY_AFTER("retry-after"),
    /** A wait that counts only where {@code Retry-After} is missing. */
    WAIT("wait"),
    WAIT_MILLIS("wait milliseconds"),
    /** Whether the request may be sent again. */
    SHOULD_RETRY("should-retry"),
    /** {@code RateLimit} of the IETF drafts. */
    STRUCTURED("structured"),
    /** {@code RateLimit-Policy} of the IETF drafts. */
    POLICY("policy"),
    /** Tells who refuses: one that asks for a wait, the window of the entry, where it names no time. */
    FLOOR("floor"),
    /** Not about a limit, whatever the name says. */
    IGNORED("ignored");

    private final String words;

    Meaning(String words) {
        this.words = words;
    }

    /** {@return the words that stand for it} */
    public String words() {
        return words;
    }
}
