package dev.throttle.signal.header;

import dev.throttle.signal.Quota;
import org.jspecify.annotations.Nullable;

/** Names of quotas and of what they count. */
final class Names {

    /** Names end up in metrics; what is longer is cut. */
    private static final int LONGEST = 128;

    /** Anthropic's windows of a subscription, of which it tells a used share and no number. */
    private static final String UNIFIED = "unified";

    private static final String[] OTHER_UNITS = {"complexity", "bytes", "points", "cost", "credits", "characters"};

    private Names() {}

    /** {@return a name that is not too long; null if there is nothing in it} */
    static @Nullable String of(String name) {
        String clean = Text.clean(name);
        return clean == null || clean.length() <= LONGEST ? clean : clean.substring(0, LONGEST);
    }

    /** {@return a unit by its name, for which the drafts have two spellings} */
    static String unit(String unit) {
        String name = of(unit);
        return name == null || name.equals("request") ? Quota.REQUESTS : name;
    }

    private static String unitOfTokens(String group) {
        if (group.contains(Quota.INPUT_TOKENS)) {
            return Quota.INPUT_TOKENS;
        }
        return group.contains(Quota.OUTPUT_TOKENS) ? Quota.OUTPUT_TOKENS : Quota.TOKENS;
    }

    /** {@return what a group of headers counts, as far as its name tells} */
    static String unitOfGroup(@Nullable String group) {
        if (group == null) {
            return Quota.REQUESTS;
        }
        if (group.contains("token")) {
            return unitOfTokens(group);
        }
        if (group.startsWith(UNIFIED)) {
            return UNIFIED;
        }
        if (group.contains("concurren")) {
            return Quota.CONCURRENT_REQUESTS;
        }
        if (group.endsWith("-seconds")) {
            return group;
        }
        for (String unit : OTHER_UNITS) {
            if (group.contains(unit)) {
                return unit;
            }
        }
        return Quota.REQUESTS;
    }
}
