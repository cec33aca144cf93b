package dev.throttle.signal.header;

import dev.throttle.signal.Quota;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Headers that tell nothing but which quota counts the request. Some stand beside numbers without a name, others only
 * in refusals.
 */
enum ScopeName {
    /** RingCentral's {@code heavy}, {@code medium} and so on. */
    GROUP(false, "x-rate-limit-group", "x-ratelimit-group"),
    /** Zoom's {@code Light}, {@code Heavy} and so on. */
    CATEGORY(false, "x-ratelimit-category", "x-rate-limit-category"),
    /** Jira's {@code jira-per-issue-on-write} and the like. */
    REASON(true, "ratelimit-reason"),
    /** Riot's {@code method} and {@code service}; {@code application} is about all calls. */
    TYPE(true, "x-rate-limit-type"),
    /** Figma's {@code low} and {@code high}. */
    FIGMA(true, "x-figma-rate-limit-type");

    private static final ScopeName[] ALL = values();
    private static final int SHORTEST = "ratelimit-reason".length();
    private static final int LONGEST = "x-figma-rate-limit-type".length();
    private static final String EVERYTHING = "application";

    private final boolean isOfRefusals;
    private final String name;
    /** The other spelling; the same where there is none. */
    private final String other;

    ScopeName(boolean isOfRefusals, String name) {
        this(isOfRefusals, name, name);
    }

    ScopeName(boolean isOfRefusals, String name, String other) {
        this.isOfRefusals = isOfRefusals;
        this.name = name;
        this.other = other;
    }

    /** {@return what a header of this name, in any case, is; null if it is none of these} */
    static @Nullable ScopeName of(String header) {
        if (header.length() < SHORTEST || header.length() > LONGEST) {
            return null;
        }
        for (ScopeName scope : ALL) {
            if (scope.name.equalsIgnoreCase(header) || scope.other.equalsIgnoreCase(header)) {
                return scope;
            }
        }
        return null;
    }

    /** {@return the name of the quota that a value tells; null if it is about all calls, or no name} */
    @Nullable String nameIn(String value, boolean isRefusal) {
        String clean = Text.clean(value);
        if (clean == null || (isOfRefusals && !isRefusal) || (this == TYPE && clean.equals(EVERYTHING))) {
            return null;
        }
        String told = Names.of(clean);
        return this == FIGMA ? "figma-" + told : told;
    }

    /**
     * {@return the quotas of a refusal, with one more that it names} If the numbers in it say what is used up, they say
     * more.
     */
    private static List<Quota> blamed(List<Quota> quotas, String name) {
        for (Quota quota : quotas) {
            if (quota.isExhausted() || name.equals(quota.policy())) {
                return quotas;
            }
        }
        List<Quota> all = new ArrayList<>(quotas);
        all.add(Quota.named(name));
        return all;
    }

    /** {@return the quotas of a response that tells a name} */
    List<Quota> in(List<Quota> quotas, String name) {
        return isOfRefusals ? blamed(quotas, name) : named(quotas, name);
    }

    /** {@return the quotas, of which the one without a name has this one, or one more with it} */
    private static List<Quota> named(List<Quota> quotas, String name) {
        List<Quota> all = new ArrayList<>(quotas.size() + 1);
        boolean isUsed = false;
        for (Quota quota : quotas) {
            boolean takesIt = quota.policy() == null && !isUsed;
            isUsed |= takesIt || name.equals(quota.policy());
            all.add(
                    takesIt
                            ? new Quota(
                                    name,
                                    quota.limit(),
                                    quota.remaining(),
                                    quota.reset(),
                                    quota.window(),
                                    quota.unit(),
                                    quota.partition(),
                                    quota.ambiguousReset())
                            : quota);
        }
        if (!isUsed) {
            all.add(Quota.named(name));
        }
        return all;
    }
}
