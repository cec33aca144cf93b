package dev.throttle.signal.header;

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
    /** No name of a limit is shorter. */
    private static final int SHORTEST = "ratelimit".length();

    /** How many characters of a word are looked at without asking whether they are there. */
    private static final int LONGEST_LOOK = 3;

    private static final String GITHUB = "x-github-request-id";

    private final boolean refused;
    private @Nullable String date;
    private boolean fromCache;
    private boolean fromGitHub;
    private @Nullable List<Line> lines;

    /**
     * A header that may tell about limits.
     *
     * @param name its name
     * @param value its value without blanks around it, not empty
     */
    record Line(HeaderName name, String value) {}

    /** @param refused whether a refusal is possible, so that it is worth knowing who refuses */
    HeaderScan(boolean refused) {
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
        } else if (length >= SHORTEST && !DullNames.contains(name)) {
            if (mayTell(name)) {
                keep(name, value);
            } else {
                DullNames.remember(name);
            }
        }
        if (refused && length == GITHUB.length() && name.equalsIgnoreCase(GITHUB)) {
            fromGitHub = true;
        }
    }

    private void keep(String name, String value) {
        String clean = Text.clean(value);
        if (clean != null) {
            if (lines == null) {
                lines = new ArrayList<>();
            }
            lines.add(new Line(HeaderName.of(name), clean));
        }
    }

    /**
     * {@return whether a word of a name begins like one of those that names of limits have: rate, retry, limit}
     *
     * <p>All that most responses cost is spent here: a loop over characters takes half the time of library calls.
     */
    private static boolean mayTell(String name) {
        if (isWord(name, 0)) {
            return true;
        }
        int end = name.length() - LONGEST_LOOK;
        for (int i = 0; i < end; i++) {
            if (name.charAt(i) == '-' && isWord(name, i + 1)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isWord(String name, int at) {
        char first = lower(name, at);
        if (first == 'r') {
            return lower(name, at + 2) == 't' && (Text.hasAt(name, at, "rate") || Text.hasAt(name, at, "retry"));
        }
        return first == 'l' && Text.hasAt(name, at, "limit");
    }

    private static char lower(String name, int at) {
        return (char) (name.charAt(at) | 0x20);
    }

    private static boolean isPositive(String value) {
        String clean = Text.clean(value);
        Decimal age = clean == null ? null : Decimal.parse(clean);
        return age != null && age.ceil() > 0;
    }

    @Nullable List<Line> lines() {
        return lines;
    }

    String date() {
        return date == null ? "" : date;
    }

    boolean isFromCache() {
        return fromCache;
    }

    boolean isFromGitHub() {
        return fromGitHub;
    }
}
