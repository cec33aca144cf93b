package dev.throttle.signal.header;

import dev.throttle.signal.Quota;
import dev.throttle.signal.header.HeaderName.Family;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes names apart that no entry has, such as {@code X-RateLimit-Remaining-Tokens} or
 * {@code anthropic-ratelimit-tokens-remaining}, by the words of which they consist. The table of vendors has the words.
 */
final class Words {

    /** Where in a name the words may stand. */
    enum Place {
        /** Before or after the name of a quota. */
        ANYWHERE("word"),
        /** After it, if there is one. */
        LAST("last word"),
        /** Only where there is none. */
        ALONE("only word"),
        /** They are the end of a longer word, as in {@code PathRemaining}. */
        ENDING("ending");

        private final String key;

        Place(String key) {
            this.key = key;
        }

        String key() {
            return key;
        }
    }

    private record Word(Meaning meaning, Place place) {}

    /** A field found in the rest of a name: what it tells, and the words that are left. */
    private record Match(Meaning meaning, @Nullable String group) {}

    private static final String SOLID = "ratelimit";
    private static final String HYPHENED = "rate-limit";
    private static final String LIMIT = "limit";
    private static final String RETRY = "retry";
    private static final String SHORT = "-short";
    private static final String HTTP = "http-";
    /** What a limit of requests is about, where its name does not say that it is one. */
    private static final Set<String> LIMITED = Set.of("burst", "user", "app", "concurrency");

    private static final int MOST_WORDS = 12;
    /** No phrase is longer; so of a longer name only a part is looked at. */
    private static final int LONGEST_PHRASE = 40;

    private final Map<String, Word> words = new HashMap<>();
    private final Map<String, Meaning> endings = new HashMap<>();
    private final Map<String, String> units = new HashMap<>();

    void add(Place place, Meaning meaning, String phrase) {
        if (place == Place.ENDING) {
            endings.put(phrase, meaning);
        } else {
            words.put(phrase, new Word(meaning, place));
        }
    }

    void addUnit(String phrase, String unit) {
        units.put("-" + phrase + "-", unit);
    }

    /** {@return what a word alone means, such as the name of a member; null if nothing} */
    @Nullable Meaning meaning(String phrase) {
        Word word = words.get(phrase);
        return word == null ? null : word.meaning;
    }

    /** {@return what a name in lower case tells; null if that is nothing about limits} */
    @Nullable HeaderName read(String sent) {
        String name = sent.indexOf('-') < 0 && sent.indexOf('_') > 0 ? hyphened(sent) : sent;
        int retry = name.lastIndexOf(RETRY);
        if (retry >= 0) {
            return wait(name, retry);
        }
        int solid = name.indexOf(SOLID);
        int at = solid >= 0 ? solid : name.indexOf(HYPHENED);
        if (at < 0) {
            return otherLimit(name);
        }
        int start = name.lastIndexOf('-', at) + 1;
        int end = at + (solid >= 0 ? SOLID : HYPHENED).length();
        int next = nextHyphen(name, end);
        String vendor = between(name, name.startsWith("x-") ? 2 : 0, start - 1);
        String before = between(name, start, at);
        String behind = name.substring(end, next);
        Family family = vendor != null || before != null || !behind.isEmpty()
                ? Family.VENDOR
                : solid < 0 ? Family.X_RATE_LIMIT : at == 0 ? Family.RATELIMIT : Family.X_RATELIMIT;
        if (behind.equals("policy") && next == name.length()) {
            return make(Meaning.POLICY, family, null);
        }
        String scope = join(before, behind.equals("s") ? "" : behind);
        Match found = next == name.length() ? new Match(Meaning.QUOTA, null) : field(name.substring(next + 1));
        if (found == null || (found.meaning == Meaning.QUOTA && family == Family.RATELIMIT)) {
            return null;
        }
        String group = join(scope, found.group == null ? "" : found.group);
        if (group == null || (Windows.of(vendor) != Millis.NONE && vendor != null)) {
            group = join(vendor, group == null ? "" : group);
        }
        return make(found.meaning, family, group);
    }

    /** {@code http_x_ratelimit_limit}: names as some programs have them inside. */
    private static String hyphened(String name) {
        String hyphened = name.replace('_', '-');
        return hyphened.startsWith(HTTP) ? hyphened.substring(HTTP.length()) : hyphened;
    }

    /** A wait, perhaps with the name of what it is about before it. */
    private @Nullable HeaderName wait(String name, int at) {
        String before = name.substring(0, at);
        boolean stands = before.isEmpty()
                || before.equals("x-")
                || before.endsWith(SOLID + "-")
                || before.endsWith(HYPHENED + "-");
        String phrase = name.substring(at, name.endsWith(SHORT) ? name.length() - SHORT.length() : name.length());
        Meaning meaning = stands ? meaning(phrase) : null;
        return meaning == Meaning.WAIT || meaning == Meaning.WAIT_MILLIS ? make(meaning, Family.VENDOR, null) : null;
    }

    /** {@code X-MinLimit-Remaining}: a limit with the name of a quota before it, if more than the limit is told. */
    private @Nullable HeaderName otherLimit(String name) {
        int at = name.indexOf(LIMIT + "-");
        Match found = at < 0 ? null : field(name.substring(at + LIMIT.length() + 1));
        if (found == null
                || found.group != null
                || (found.meaning != Meaning.REMAINING && found.meaning != Meaning.LIMIT)) {
            return null;
        }
        String group = between(name, name.startsWith("x-") ? 2 : 0, name.charAt(at - 1) == '-' ? at - 1 : at);
        boolean tells = group != null && (LIMITED.contains(group) || Windows.of(group) != Millis.NONE);
        return tells ? make(found.meaning, Family.VENDOR, group) : null;
    }

    private HeaderName make(Meaning meaning, Family family, @Nullable String group) {
        return new HeaderName(
                "", meaning, family, group, group == null ? null : unit(group), Windows.of(group), Windows.Row.UNKNOWN);
    }

    private @Nullable Match field(String rest) {
        Match start = atStart(rest);
        Match end = atEnd(rest);
        if (start != null && (end == null || end.meaning == Meaning.LIMIT || start.meaning != Meaning.LIMIT)) {
            return start;
        }
        if (start != null && end != null && end.group != null) { // limit-user-remaining
            Match inner = atStart(end.group);
            return new Match(end.meaning, inner == null ? end.group : inner.group);
        }
        if (end != null) {
            return end;
        }
        return Windows.of(rest) != Millis.NONE ? new Match(Meaning.QUOTA, rest) : glued(rest);
    }

    /** The longest words that a name begins with. */
    private @Nullable Match atStart(String rest) {
        int end = rest.length() <= LONGEST_PHRASE ? rest.length() : rest.lastIndexOf('-', LONGEST_PHRASE);
        for (int i = 0; i < MOST_WORDS && end > 0; i++) {
            Word word = words.get(rest.substring(0, end));
            boolean whole = end == rest.length();
            if (word != null && (whole || word.place == Place.ANYWHERE)) {
                return new Match(word.meaning, whole ? null : rest.substring(end + 1));
            }
            end = rest.lastIndexOf('-', end - 1);
        }
        return null;
    }

    /** The longest words that a name ends with. */
    private @Nullable Match atEnd(String rest) {
        int hyphen = rest.indexOf('-', rest.length() - LONGEST_PHRASE - 1);
        for (int i = 0; i < MOST_WORDS && hyphen > 0; i++) {
            Word word = words.get(rest.substring(hyphen + 1));
            if (word != null && word.place != Place.ALONE) {
                return new Match(word.meaning, rest.substring(0, hyphen));
            }
            hyphen = rest.indexOf('-', hyphen + 1);
        }
        return null;
    }

    /** {@code pathremaining}, {@code userlimit}. */
    private @Nullable Match glued(String rest) {
        int from = rest.lastIndexOf('-') + 1;
        for (int at = Math.max(from + 1, rest.length() - LONGEST_PHRASE); at < rest.length(); at++) {
            Meaning meaning = endings.get(rest.substring(at));
            if (meaning != null) {
                return new Match(meaning, rest.substring(0, at));
            }
        }
        return null;
    }

    /** {@return what a name of a quota says is counted; the longest words count} */
    String unit(String group) {
        String name = "-" + group.replace('_', '-') + "-";
        String found = Quota.REQUESTS;
        int length = 0;
        for (Map.Entry<String, String> unit : units.entrySet()) {
            if (unit.getKey().length() > length && name.contains(unit.getKey())) {
                found = unit.getValue();
                length = unit.getKey().length();
            }
        }
        return found;
    }

    private static int nextHyphen(String name, int from) {
        int hyphen = name.indexOf('-', from);
        return hyphen < 0 ? name.length() : hyphen;
    }

    private static @Nullable String between(String name, int from, int to) {
        return to > from ? name.substring(from, to) : null;
    }

    private static @Nullable String join(@Nullable String a, String b) {
        if (a == null) {
            return b.isEmpty() ? null : b;
        }
        return b.isEmpty() ? a : a + "-" + b;
    }
}
