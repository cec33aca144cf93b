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

    /** Longer names tell nothing. */
    private static final int LONGEST_NAME = 96;

    /** So many characters must stand before a star: by them it is found. */
    static final int BEFORE_STAR = 4;

    private record Pattern(String before, String behind, Vendor.Rule rule) {}

    private final Words words;
    private final Map<String, Vendor.Rule> names = new HashMap<>();
    private final Map<String, List<Pattern>> patterns = new HashMap<>();
    private final List<Map.Entry<String, HeaderTable>> hosts = new ArrayList<>(0);
    private HeaderTable ofUnknownHost = this;

    /** Read and written without order: a record is whole in whichever thread sees it. */
    private final @Nullable HeaderName[] seen = new HeaderName[PLACES];

    /**
     * {@return a table}
     *
     * @param vendors the entries; of two about one header the last counts
     * @param words what other names consist of
     */
    static HeaderTable of(List<Vendor> vendors, Words words) {
        HeaderTable table = new HeaderTable(words);
        HeaderTable unknown = new HeaderTable(words);
        for (Vendor vendor : vendors) {
            if (!vendor.hosts().isEmpty()) {
                vendor.rules().stream().filter(unknown::isUnmistakable).forEach(unknown::add);
            }
            for (String host : vendor.hosts()) {
                if (table.hosts.stream().noneMatch(entry -> entry.getKey().equals(host))) {
                    HeaderTable ofHost = new HeaderTable(words);
                    ofHost.addAll(vendors, host);
                    table.hosts.add(Map.entry(host, ofHost));
                }
            }
        }
        table.addAll(vendors, "");
        unknown.addAll(vendors, "");
        table.ofUnknownHost = unknown;
        return table;
    }

    private HeaderTable(Words words) {
        this.words = words;
    }

    private void addAll(List<Vendor> vendors, String host) {
        for (Vendor vendor : vendors) {
            List<String> only = vendor.hosts();
            if (only.isEmpty() || only.stream().anyMatch(name -> isWithin(host, name))) {
                vendor.rules().forEach(this::add);
            }
        }
    }

    /** Whether a header means this wherever it comes from: its name tells nothing else. */
    private boolean isUnmistakable(Vendor.Rule rule) {
        HeaderName usual = words.read(rule.header());
        return usual == null
                || usual.family() == Family.VENDOR
                || (usual.meaning() == rule.meaning() && rule.quota() == null);
    }

    /** {@return whether a host is, in any case, one of a name, or below of it} */
    private static boolean isWithin(String host, String name) {
        int from = host.length() - name.length();
        return host.regionMatches(true, from, name, 0, name.length()) && (from == 0 || host.charAt(from - 1) == '.');
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

    /**
     * {@return the table for a host: that of the longest name that it is, or that it is below of} If the host is not
     * known, headers that only one vendor has are read as its entry says.
     */
    HeaderTable of(String host) {
        if (host.isEmpty()) {
            return ofUnknownHost;
        }
        HeaderTable found = this;
        int longest = 0;
        for (Map.Entry<String, HeaderTable> entry : hosts) {
            String name = entry.getKey();
            if (name.length() > longest && isWithin(host, name)) {
                found = entry.getValue();
                longest = name.length();
            }
        }
        return found;
    }

    /** {@return what a header tells by its name, if that was read not long ago; otherwise null} */
    @Nullable HeaderName remembered(String sent) {
        HeaderName known = seen[place(sent)];
        return known != null && known.sent().equals(sent) ? known : null;
    }

    private static int place(String sent) {
        int hash = sent.hashCode();
        return (hash ^ hash >>> 16) & PLACES - 1;
    }

    /** {@return what a header tells by its name} */
    HeaderName name(String sent) {
        HeaderName known = remembered(sent);
        if (known != null) {
            return known;
        }
        HeaderName read = read(sent);
        if (sent.length() <= LONGEST_NAME) {
            seen[place(sent)] = read;
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
