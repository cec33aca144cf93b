package dev.throttle.signal.header;

import dev.throttle.signal.Quota;
import dev.throttle.signal.ResponseHead;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Looks at every header once and keeps those that may tell about limits, which few responses have. What it keeps is
 * read later, when the {@code Date} of the response is known.
 */
final class HeaderScan implements ResponseHead.HeaderVisitor {

    private static final String AGE = "age";
    private static final String DATE = "date";
    private static final String RETRY_AFTER = "retry-after";
    /** Most servers that tell about limits send so many headers for it. */
    private static final int USUAL_LINES = 3;

    /** Discord tells whether a refusal is about the bot as a whole. */
    private static final String GLOBAL = "x-ratelimit-global";

    private static final String SCOPE = "x-ratelimit-scope";

    /** No server that means well sends more about limits. */
    private static final int MOST_LINES = 32;

    private static final int MOST_CHARACTERS = 2048;

    /** Names are remembered, so that a server that makes up more gains nothing. */
    private static final int MOST_UNSEEN = 64;

    /** Of names that were never seen, so many are read whatever the host did before, if they may be about limits. */
    private static final int MOST_LIKELY = 16;

    private static final String[] WORDS = {"limit", "remain", "reset", "retry", "quota"};
    private static final int SHORTEST_WORD = "limit".length();
    /** Makes an ASCII letter a small one. */
    private static final int LOWER = 0x20;

    private final HeaderTable table;
    private final String host;
    private final boolean refused;
    private int unseen;
    private int likely;
    private @Nullable String date;
    private boolean fromCache;
    private long floorMillis = Millis.NONE;
    private boolean aboutAll;
    private @Nullable List<Line> lines;
    private @Nullable String scope;
    private @Nullable ScopeName scopeName;
    private int characters;
    /** Whether there is a {@code Retry-After}. */
    private boolean hasWait;
    /** Whether one of the lines counts only beside another of the same vendor. */
    private boolean guessed;

    /**
     * A header that may tell about limits.
     *
     * @param name its name
     * @param value its value without blanks around it, not empty
     */
    record Line(HeaderName name, String value) {

        /** {@return whether it is another header that only the same vendor has} */
        private boolean isBeside(Line other) {
            return Objects.equals(name.guess(), other.name.guess())
                    && !name.sent().equalsIgnoreCase(other.name.sent());
        }
    }

    /**
     * Makes a scan.
     *
     * @param table what names tell
     * @param host who sent the response
     * @param refused whether a refusal is possible, so that it is worth knowing who refuses
     */
    HeaderScan(HeaderTable table, String host, boolean refused) {
        this.table = table;
        this.host = host;
        this.refused = refused;
        table.answered(host);
    }

    @Override
    public void visit(String name, String value) {
        int length = name.length();
        if (length == DATE.length()) {
            if (date == null && name.equalsIgnoreCase(DATE)) {
                date = value;
            }
        } else if (length == AGE.length()) {
            if (name.equalsIgnoreCase(AGE)) {
                fromCache |= isPositive(value);
            }
        }
        ScopeName named = ScopeName.of(name);
        String told = named == null ? null : named.nameIn(value, refused);
        if (told != null && scope == null) {
            scope = told;
            scopeName = named;
        }
        aboutAll |= refused && isAboutAll(name, value);
        HeaderName known = name(name);
        if (known.meaning() == Meaning.FLOOR) {
            floorMillis = refused ? known.window() : floorMillis;
        } else if (known.meaning() != Meaning.IGNORED) {
            keep(known, value);
        }
    }

    /** {@return what a name tells; nothing if too many of the response, or of its host, were never seen} */
    HeaderName name(String sent) {
        HeaderName known = table.remembered(sent);
        if (known != null) {
            return known;
        }
        if (isRetryAfter(sent)) {
            return table.name(RETRY_AFTER);
        }
        boolean isRead = unseen++ < MOST_UNSEEN && table.mayRead(host);
        if (!isRead && likely < MOST_LIKELY && unseen <= MOST_UNSEEN && mayTell(sent)) {
            likely++;
            isRead = true;
        }
        return isRead ? table.name(sent) : HeaderName.NOTHING;
    }

    private static boolean isRetryAfter(String name) {
        return name.length() == RETRY_AFTER.length() && name.equalsIgnoreCase(RETRY_AFTER);
    }

    /** {@return whether there is a word in a name that most headers about limits have} */
    private static boolean mayTell(String name) {
        for (int i = 0; i <= name.length() - SHORTEST_WORD; i++) {
            int first = name.charAt(i) | LOWER;
            if ((first == 'l' || first == 'r' || first == 'q') && isWordAt(name, i)) { // few names come further
                return true;
            }
        }
        return false;
    }

    private static boolean isWordAt(String name, int at) {
        for (String word : WORDS) {
            if (name.regionMatches(true, at, word, 0, word.length())) {
                return true;
            }
        }
        return false;
    }

    Words words() {
        return table.words();
    }

    private void keep(HeaderName name, String value) {
        String clean = Text.clean(value);
        if (clean == null) {
            return;
        }
        if (lines == null) {
            lines = new ArrayList<>(USUAL_LINES);
        }
        boolean fits = lines.size() < MOST_LINES && characters + clean.length() <= MOST_CHARACTERS;
        boolean isFirstWait = !hasWait && isRetryAfter(name.sent());
        if (fits || isFirstWait) { // how long to wait matters most
            characters += clean.length();
            hasWait |= isFirstWait;
            lines.add(new Line(name, clean));
            guessed |= name.guess() != null;
        }
    }

    private static boolean isAboutAll(String name, String value) {
        if (name.equalsIgnoreCase(GLOBAL)) {
            return "true".equalsIgnoreCase(Text.clean(value));
        }
        String scope = name.equalsIgnoreCase(SCOPE) ? Text.clean(value) : null;
        return "global".equalsIgnoreCase(scope);
    }

    private static boolean isPositive(String value) {
        String clean = Text.clean(value);
        Decimal age = clean == null ? null : Decimal.parse(clean);
        return age != null && age.ceil() > 0;
    }

    /** {@return the headers about limits; null if there are none} */
    @Nullable List<Line> lines() {
        if (lines != null && guessed) {
            List<Line> all = List.copyOf(lines);
            lines.removeIf(line -> line.name.guess() != null && all.stream().noneMatch(line::isBeside));
        }
        return lines;
    }

    /**
     * {@return quotas, with the name of the one that counts the request if a header tells nothing but that} A refusal
     * that is about all calls is not about the quotas that it shows, so that none of them counts as used up by it.
     */
    List<Quota> named(List<Quota> quotas) {
        if (aboutAll) {
            return quotas.stream()
                    .filter(quota -> quota.remaining() != null && !quota.isExhausted())
                    .toList();
        }
        return scope == null || scopeName == null || fromCache ? quotas : scopeName.in(quotas, scope);
    }

    String date() {
        return date == null ? "" : date;
    }

    boolean isFromCache() {
        return fromCache;
    }

    /** {@return the wait of the one who refuses, where the refusal names none; {@link Millis#NONE} if unknown} */
    long floorMillis() {
        return floorMillis;
    }
}
