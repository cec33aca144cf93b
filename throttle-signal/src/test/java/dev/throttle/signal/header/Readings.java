package dev.throttle.signal.header;

import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a response tells, as the samples of the table of vendors write it. */
public final class Readings {

    private static final int NANOS_PER_MILLI = 1_000_000;

    private Readings() {}

    /** {@return a line for the wait, for the floor, for the cost, and for each quota} */
    public static List<String> of(RateHints hints) {
        List<String> lines = new ArrayList<>();
        if (hints.retryAfter() != null) {
            lines.add("wait " + text(hints.retryAfter()));
        }
        if (hints.floor() != null) {
            lines.add("floor " + text(hints.floor()));
        }
        if (hints.cost() != null) {
            lines.add("cost " + hints.cost());
        }
        for (Quota quota : hints.quotas()) {
            StringBuilder line = new StringBuilder("quota ").append(quota.policy() == null ? "-" : quota.policy());
            add(line, "limit", quota.limit());
            add(line, "remaining", quota.remaining());
            add(line, "reset", quota.reset() == null ? null : text(quota.reset()));
            add(line, "window", quota.window() == null ? null : text(quota.window()));
            add(line, "unit", quota.countsRequests() ? null : quota.unit());
            lines.add(line.toString());
        }
        if (lines.isEmpty()) {
            lines.add("nothing");
        }
        return lines;
    }

    /**
     * Checks that others can verify an entry.
     *
     * @throws IllegalArgumentException if it lacks a source, a date or a real sample with its reading
     */
    public static void requireVerifiable(Vendor vendor) {
        String name = "the entry of " + vendor.name();
        require(vendor.source().startsWith("https://"), name + " has no source: the address of a page");
        require(vendor.date().matches("20[0-9]{2}-[01][0-9]-[0-3][0-9]"), name + " has no date such as 2026-11-25");
        require(!vendor.samples().isEmpty(), name + " has no sample: a response");
        for (Vendor.Sample sample : vendor.samples()) {
            require(!sample.reading().isEmpty(), name + " has a sample without a reading: lines that begin with =");
        }
        Words words = VendorFile.table(List.of()).words();
        for (Vendor.Rule rule : vendor.rules()) {
            HeaderName usual = words.read(rule.header());
            require(
                    !vendor.hosts().isEmpty() || (isTelling(rule.header(), vendor) && !isOther(rule, usual)),
                    name + " needs a host: others may mean something else by " + rule.header());
            boolean isSampled = vendor.samples().stream().anyMatch(sample -> hasHeader(sample, rule.header()));
            require(
                    isSampled != rule.documented(),
                    name
                            + (isSampled ? " has a sample with " : " has no sample, and no 'documented', of ")
                            + rule.header());
        }
    }

    /** Whether a name is one of a limit, or has the name of the vendor in it. */
    private static boolean isTelling(String header, Vendor vendor) {
        String vendors = vendor.name().toLowerCase(Locale.ROOT).split("[^a-z]", 2)[0];
        return Stream.of("rate", "limit", "quota", "retry", "qps", vendors).anyMatch(header::contains);
    }

    /** Whether a rule says other than what the name has, without a vendor's, means everywhere. */
    private static boolean isOther(Vendor.Rule rule, @Nullable HeaderName usual) {
        return usual != null
                && usual.family() != HeaderName.Family.VENDOR
                && (usual.meaning() != rule.meaning()
                        || !rule.windows().millis().isEmpty()
                        || (usual.group() == null && rule.quota() != null));
    }

    private static boolean hasHeader(Vendor.Sample sample, String header) {
        String form = header.replace("*", ".+");
        return sample.headers().stream()
                .anyMatch(text -> text.toLowerCase(Locale.ROOT).matches(form));
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }

    private static void add(StringBuilder line, String name, @Nullable Object value) {
        if (value != null) {
            line.append(' ').append(name).append('=').append(value);
        }
    }

    private static String text(Duration duration) {
        int millis = duration.getNano() / NANOS_PER_MILLI;
        String fraction = millis == 0 ? "" : String.format(".%03d", millis).replaceFirst("0+$", "");
        return duration.getSeconds() + fraction + "s";
    }
}
