package dev.throttle.signal.header;

import dev.throttle.signal.header.HeaderName.Family;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What names of headers tell, looked up by their hash: those that entries of the table of vendors have, and those that
 * {@link Words} take apart. Immutable, but for a memory of the names seen last; thread-safe.
 */
final class HeaderTable {

    /** A power of two. Servers send the same names with every response. */
    private static final int PLACES = 1024;

    /** Longer names are not remembered: what servers make up must not fill the memory. */
    private static final int LONGEST_SEEN = 64;

    private static final int LONGEST_NAME = 4096;

    /** So many characters must stand before a star: by them it is found. */
    static final int BEFORE_STAR = 4;

    private record Pattern(String before, String behind, Vendor.Rule rule) {}

    private final Words words;
    private final Map<String, Vendor.Rule> names = new HashMap<>();
    private final Map<String, List<Pattern>> patterns = new HashMap<>();
    private final Map<String, HeaderTable> hosts = new HashMap<>();

    /** Read and written without order: a record is whole in whichever thread sees it. */
    private final @Nullable HeaderName[] seen = new HeaderName[PLACES];

    /**
     * Makes a table.
     *
     * @param vendors the entries; of two about one header the last counts
     * @param words what other names consist of
     */
    HeaderTable(List<Vendor> vendors, Words words) {
        this(vendors, words, null);
        for (Vendor vendor : vendors) {
            for (String host : vendor.hosts()) {
                hosts.computeIfAbsent(host, one -> new HeaderTable(vendors, words, one));
            }
        }
    }

    private HeaderTable(List<Vendor> vendors, Words words, @Nullable String host) {
        this.words = words;
        for (Vendor vendor : vendors) {
            if (vendor.hosts().isEmpty()) {
                vendor.rules().forEach(this::add);
            }
        }
        for (Vendor vendor : vendors) {
            if (host != null && vendor.hosts().contains(host)) {
                vendor.rules().forEach(this::add);
            }
        }
    }

    private void add(Vendor.Rule rule) {
        int star = rule.header().indexOf('*');
        if (star < 0) {
            names.put(rule.header(), rule);
        } else {
            patterns.computeIfAbsent(rule.header().substring(0, BEFORE_STAR), start -> new ArrayList<>(1))
                    .add(
                            0,
                            new Pattern(
                                    rule.header().substring(0, star),
                                    rule.header().substring(star + 1),
                                    rule));
        }
    }

    Words words() {
        return words;
    }

    /** {@return the table for a host, in lower case: that of the longest name that it is, or that it is below of} */
    HeaderTable of(String host) {
        String name = host;
        while (!hosts.isEmpty() && !name.isEmpty()) {
            HeaderTable found = hosts.get(name);
            if (found != null) {
                return found;
            }
            name = name.substring(name.indexOf('.') < 0 ? name.length() : name.indexOf('.') + 1);
        }
        return this;
    }

    /** {@return whether a host has entries of its own} */
    boolean knowsHosts() {
        return !hosts.isEmpty();
    }

    /** {@return what a header tells by its name} */
    HeaderName name(String sent) {
        int hash = sent.hashCode();
        int place = (hash ^ hash >>> 16) & PLACES - 1;
        HeaderName known = seen[place];
        if (known != null && known.sent().equals(sent)) {
            return known;
        }
        HeaderName read = read(sent);
        if (sent.length() <= LONGEST_SEEN) {
            seen[place] = read;
        }
        return read;
    }

    private HeaderName read(String sent) {
        if (sent.length() > LONGEST_NAME) {
            return HeaderName.nothing(sent);
        }
        String lower = Text.lower(sent);
        HeaderName read = words.read(lower);
        Vendor.Rule rule = names.get(lower);
        if (rule != null) {
            // What the entry does not say is as the words have it, so that headers of one quota stay together.
            return rule.quota() != null || read == null
                    ? of(sent, rule, Family.VENDOR, rule.quota())
                    : of(sent, rule, read.family(), read.group());
        }
        HeaderName matching = lower.length() > BEFORE_STAR ? matching(sent, lower) : null;
        read = matching == null ? read : matching;
        return read == null ? HeaderName.nothing(sent) : read.as(sent);
    }

    private @Nullable HeaderName matching(String sent, String lower) {
        for (Pattern pattern : patterns.getOrDefault(lower.substring(0, BEFORE_STAR), List.of())) {
            int end = lower.length() - pattern.behind.length();
            if (end > pattern.before.length() && lower.startsWith(pattern.before) && lower.endsWith(pattern.behind)) {
                String star = lower.substring(pattern.before.length(), end);
                String quota = pattern.rule.quota();
                return of(sent, pattern.rule, Family.VENDOR, quota == null ? star : quota.replace("*", star));
            }
        }
        return null;
    }

    private HeaderName of(String sent, Vendor.Rule rule, Family family, @Nullable String group) {
        String unit = rule.unit() != null || group == null ? rule.unit() : words.unit(group);
        long window = rule.window() != Millis.NONE ? rule.window() : Windows.of(group);
        return new HeaderName(sent, rule.meaning(), family, group, unit, window, rule.windows());
    }
}
