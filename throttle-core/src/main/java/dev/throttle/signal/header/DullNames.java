package dev.throttle.signal.header;

import org.jspecify.annotations.Nullable;

/**
 * Names of headers that tell nothing about limits. Servers send the same few with every response, so the last ones are
 * remembered: to find one again takes less than to look through it.
 */
final class DullNames {

    /** A power of two; names that share a place take it from each other. */
    private static final int PLACES = 512;
    /** Longer names are not remembered: what servers make up must not fill the memory. */
    private static final int LONGEST = 64;

    private static final int FACTOR = 31;

    /** Read and written without order: a string is whole in whichever thread sees it. */
    private static final @Nullable String[] SEEN = new String[PLACES];

    private DullNames() {}

    /** {@return whether a name, which is not empty, is one that was remembered} */
    static boolean contains(String name) {
        return name.equals(SEEN[place(name)]);
    }

    static void remember(String name) {
        if (name.length() <= LONGEST) {
            SEEN[place(name)] = name;
        }
    }

    /** By a few characters: a name that came over the wire has no hash code yet, which takes all of them. */
    private static int place(String name) {
        int length = name.length();
        int hash = length;
        hash = hash * FACTOR + name.charAt(0);
        hash = hash * FACTOR + name.charAt(length >> 1);
        hash = hash * FACTOR + name.charAt(length - 1);
        hash = hash * FACTOR + name.charAt(length - (length >> 2) - 1);
        return (hash ^ hash >>> 9) & PLACES - 1;
    }
}
