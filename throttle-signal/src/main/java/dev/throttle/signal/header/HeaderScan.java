package dev.throttle.signal.header;

import dev.throttle.signal.Quota;
import dev.throttle.signal.ResponseHead;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks at every header once and keeps those that may tell about limits, which few responses have. What it keeps is
 * read later, when the {@code Date} of the response is known.
 */
final class HeaderScan implements ResponseHead.HeaderVisitor {

    private static final String AGE = "age";
    private static final String DATE = "date";
    /** Most servers that tell about limits send so many headers for it. */
    private static final int USUAL_LINES = 3;

    /** Discord tells whether a refusal is about the bot as a whole, or a resource that many bots share. */
    private static final String GLOBAL = "x-ratelimit-global";

    private static final String SCOPE = "x-ratelimit-scope";

    /** Names are remembered, so that a server that makes up more gains nothing. */
    private static final int MOST_UNSEEN = 64;

    private final HeaderTable table;
    private final boolean refused;
    private int unseen;
    private @Nullable String date;
    private boolean fromCache;
    private long floorMillis = Millis.NONE;
    private boolean aboutAll;
    private @Nullable List<Line> lines;
    private @Nullable String scope;
    private @Nullable ScopeName scopeName;

    /**
     * A header that may tell about limits.
     *
     * @param name its name
     * @param value its value without blanks around it, not empty
     */
    record Line(HeaderName name, String value) {}

    /**
     * Makes a scan.
     *
     * @param table what names tell
     * @param refused whether a refusal is possible, so that it is worth knowing who refuses
     */
    HeaderScan(HeaderTable table, boolean refused) {
        this.table = table;
        this.refused = refused;
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

    /** {@return what a name tells; nothing if too many of the response were never seen} */
    HeaderName name(String sent) {
        HeaderName known = table.remembered(sent);
        if (known != null) {
            return known;
        }
        return unseen++ < MOST_UNSEEN ? table.name(sent) : HeaderName.nothing(sent);
    }

    Words words() {
        return table.words();
    }

    private void keep(HeaderName name, String value) {
        String clean = Text.clean(value);
        if (clean != null) {
            if (lines == null) {
                lines = new ArrayList<>(USUAL_LINES);
            }
            lines.add(new Line(name, clean));
        }
    }

    private static boolean isAboutAll(String name, String value) {
        if (name.equalsIgnoreCase(GLOBAL)) {
            return "true".equalsIgnoreCase(Text.clean(value));
        }
        String scope = name.equalsIgnoreCase(SCOPE) ? Text.clean(value) : null;
        return "global".equalsIgnoreCase(scope) || "shared".equalsIgnoreCase(scope);
    }

    private static boolean isPositive(String value) {
        String clean = Text.clean(value);
        Decimal age = clean == null ? null : Decimal.parse(clean);
        return age != null && age.ceil() > 0;
    }

    @Nullable List<Line> lines() {
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
