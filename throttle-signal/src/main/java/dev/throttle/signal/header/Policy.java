package dev.throttle.signal.header;

import dev.throttle.signal.Quota;
import dev.throttle.signal.header.BareItemReader.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A quota as a server announces it, without telling what is left of it.
 *
 * @param name its name; null if it has none
 * @param partition whose quota it is, as base 64; null if the server did not say
 * @param quota the units granted per window
 * @param window the window in milliseconds; {@link Millis#NONE} if the server did not say
 * @param unit what is counted
 */
record Policy(@Nullable String name, @Nullable String partition, long quota, long window, String unit) {

    /** {@return the policies in a list; those that are not complete are left out} */
    static List<Policy> of(List<StructuredItem> items) {
        List<Policy> policies = new ArrayList<>();
        for (StructuredItem item : items) {
            Policy policy = of(item);
            if (policy != null) {
                add(policies, policy);
            }
        }
        return policies;
    }

    /** Adds a policy unless it is there: proxies and careless servers repeat them. */
    static void add(List<Policy> policies, Policy policy) {
        if (!policies.contains(policy)) {
            policies.add(policy);
        }
    }

    /** {@return the policy of a list member: a number in the older drafts, a name with a number in the newer} */
    static @Nullable Policy of(StructuredItem item) {
        long window = window(item);
        String text = item.text();
        if (text != null) {
            Long quota = item.count("q");
            return quota == null ? null : new Policy(Names.of(text), partition(item), quota, window, unit(item));
        }
        long quota = number(item);
        String name = item.text("name");
        return quota < 0 ? null : new Policy(name == null ? null : Names.of(name), null, quota, window, unit(item));
    }

    /** {@return the same policy, in a unit unless it says its own} */
    Policy in(String usual) {
        return unit.equals(Quota.REQUESTS) ? new Policy(name, partition, quota, window, usual) : this;
    }

    /**
     * {@return what is certain in a list that is not well-formed, such as {@code "fixed window";"api";q=500;w=300}: the
     * last of several names, and numbers that have their own}
     */
    static List<Policy> certain(String field) {
        List<Policy> policies = new ArrayList<>();
        for (String member : CommaList.split(field, ",")) {
            String name = null;
            Decimal quota = null;
            Decimal seconds = null;
            for (String part : CommaList.split(member, ";")) {
                if (part.startsWith("\"") && part.endsWith("\"") && part.length() > 2) {
                    name = part.substring(1, part.length() - 1);
                } else if (part.startsWith("q=")) {
                    quota = Decimal.parse(part.substring(2));
                } else if (part.startsWith("w=")) {
                    seconds = Decimal.parse(part.substring(2));
                } else if (quota == null) {
                    quota = Decimal.parse(part);
                }
            }
            if (quota != null && quota.nanos() == 0 && seconds != null && seconds.ceil() > 0) {
                String known = name == null ? null : Names.of(name);
                add(policies, new Policy(known, null, quota.whole(), seconds.secondsToMillis(), Quota.REQUESTS));
            }
        }
        return policies;
    }

    /** {@return a number that is not negative, rounded down; -1 if the member is something else} */
    static long number(StructuredItem item) {
        if (item.value() instanceof Long number && number >= 0) {
            return number;
        }
        return item.value() instanceof Double number && number >= 0 ? number.longValue() : -1;
    }

    static @Nullable String partition(StructuredItem item) {
        return item.parameters().get("pk") instanceof Bytes bytes ? bytes.base64() : null;
    }

    private static long window(StructuredItem item) {
        Long seconds = item.count("w") == null ? item.count("window") : item.count("w");
        return seconds == null || seconds == 0 ? Millis.NONE : new Decimal(seconds, 0).secondsToMillis();
    }

    private static String unit(StructuredItem item) {
        String unit = item.text("qu");
        return unit == null ? Quota.REQUESTS : Names.unit(unit);
    }
}
