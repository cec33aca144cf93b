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

    /** So many names whose hashes are alike are remembered. */
    private static final int WAYS = 4;

    /** A power of two. */
    private static final int HOSTS = 64;

    /**
     * A name that is not remembered costs a microsecond, so a host that makes names up must not have all of them read:
     * so many are, and after that one of {@link #RARELY}.
     */
    private static final int READ_AT_ONCE = 1024;

    private static final int RARELY = 256;
    /** So many new names in each response do no harm. */
    private static final int NEW_IN_EACH = 8;

    /** Longer names tell nothing. */
    private static final int LONGEST_NAME = 96;

    /** So many characters must stand before a star: by them it is found. */
    static final int BEFORE_STAR = 4;

    private record Pattern(String before, String behind, Vendor.Rule rule) {}

    private record OfHost(String host, HeaderTable table) {}

    private final Words words;
    private final Map<String, Vendor.Rule> names = new HashMap<>();
    private final Map<String, List<Pattern>> patterns = new HashMap<>();
    private final List<Map.Entry<String, HeaderTable>> hosts = new ArrayList<>(0);
    private HeaderTable ofUnknownHost = this;
    private final Map<Vendor.Rule, String> guesses = new HashMap<>();

    /** Read and written without order: a record is whole in whichever thread sees it. */
    private final @Nullable HeaderName[] seen = new HeaderName[PLACES];

    private final @Nullable OfHost[] lastHosts = new OfHost[HOSTS];

    /** How many names that were not remembered each host has sent; nothing depends on the exact numbers. */
    private final int[] unknown = new int[HOSTS];

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
                unknown.guess(vendor);
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

    /** Adds what the headers of a vendor mean where the host is not known, unless their names tell something else. */
    private void guess(Vendor vendor) {
        for (Vendor.Rule rule : vendor.rules()) {
            HeaderName usual = words.read(rule.header());
            if (usual == null && vendor.rules().size() > 1) {
                guesses.put(rule, vendor.name());
            }
            if (usual == null
                    || usual.family() == Family.VENDOR
                    || (usual.meaning() == rule.meaning() && rule.quota() == null)) {
                add(rule);
            }
        }
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
        int place = host.hashCode() & HOSTS - 1;
        OfHost known = lastHosts[place];
        if (known == null || !known.host.equals(host)) {
            known = new OfHost(host, find(host));
            lastHosts[place] = known;
        }
        return known.table;
    }

    private HeaderTable find(String host) {
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
        int place = place(sent);
        HeaderName known = seen[place]; // nearly always, so it is looked at apart
        return known == null || known.sent().equals(sent) ? known : rememberedBehind(place, sent);
    }

    private @Nullable HeaderName rememberedBehind(int place, String sent) {
        for (int i = place + 1; i < place + WAYS; i++) {
            HeaderName known = seen[i];
            if (known == null || known.sent().equals(sent)) {
                return known;
            }
        }
        return null;
    }

    private static int place(String sent) {
        int hash = sent.hashCode();
        return ((hash ^ hash >>> 16) & PLACES / WAYS - 1) * WAYS;
    }

    /** Remembers a name; one that tells nothing never takes the place of one that tells something. */
    private void remember(HeaderName name) {
        int place = place(name.sent());
        int found = name.tells() ? place : -1;
        for (int i = place; i < place + WAYS; i++) {
            HeaderName known = seen[i];
            if (known == null) {
                seen[i] = name;
                return;
            }
            found = known.tells() ? found : i;
        }
        if (found >= 0) {
            seen[found] = name;
        }
    }

    /** Called with each response of a host: it may have some new names, as servers have that number their requests. */
    void answered(String host) {
        int at = host.hashCode() & HOSTS - 1;
        unknown[at] = Math.max(0, unknown[at] - NEW_IN_EACH);
    }

    /** {@return whether a name that is not remembered is to be read, although its host may make names up} */
    boolean mayRead(String host) {
        int at = host.hashCode() & HOSTS - 1;
        int count = unknown[at] + 1;
        unknown[at] = count == READ_AT_ONCE + RARELY ? READ_AT_ONCE : count;
        return count <= READ_AT_ONCE || count == READ_AT_ONCE + RARELY;
    }

    /** {@return what a header tells by its name} */
    HeaderName name(String sent) {
        HeaderName known = remembered(sent);
        if (known == null) {
            known = read(sent);
            if (sent.length() <= LONGEST_NAME) {
                remember(known);
            }
        }
        return known;
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
        return new HeaderName(sent, rule.meaning(), family, group, unit, window, rule.windows(), guesses.get(rule));
    }
}
