package dev.throttle.signal.header;

import dev.throttle.signal.Quota;
import org.jspecify.annotations.Nullable;

/** Names of quotas and of what they count. */
public final class Names {

    /** Names end up in metrics; what is longer is cut. */
    private static final int LONGEST = 128;

    private Names() {}

    /** {@return a name that is not too long; null if there is nothing in it} */
    public static @Nullable String of(String name) {
        String clean = Text.clean(name);
        return clean == null || clean.length() <= LONGEST ? clean : clean.substring(0, LONGEST);
    }

    /** {@return a name out of a body, in which there may be any character; null if it is none} */
    public static @Nullable String inBody(String name) {
        return name.length() <= Text.LONGEST_VALUE && Text.isAscii(name) ? of(name) : null;
    }

    /** {@return a unit by its name, for which the drafts have two spellings} */
    static String unit(String unit) {
        String name = of(unit);
        return name == null || name.equals("request") ? Quota.REQUESTS : name;
    }
}
