package dev.throttle.internal;

import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A pattern of keys, in which {@code *} stands for any characters. A key that is an origin, such as
 * {@code https://api.github.com:443}, is matched by its host; by host and port if the pattern has a port; by the whole
 * if the pattern has a scheme. Any other key is matched by its whole text. Immutable.
 */
public final class KeyPattern implements Predicate<String> {

    private static final String SETTING = "forKeys pattern";
    private static final String SAMPLES = "a host such as api.github.com, *.example.com or localhost:8080";

    /** Scheme, host and port, as {@code Origin} puts them together. */
    private static final Pattern ORIGIN = Pattern.compile(
            "(?<scheme>[a-z][a-z0-9+.-]*)://(?<host>\\[[^\\]/?#]*]|[^\\[\\]:/?#@\\s]+):(?<port>\\d{1,5})");

    private static final Pattern PORT = Pattern.compile("(?<host>\\[[^\\]]*]|[^:]*):(?<port>\\d+|[\\d*]*\\*[\\d*]*)");
    private static final Pattern BARE_ADDRESS = Pattern.compile("(?=.*::|([^:]*:){7})[0-9a-fA-F:.]+");
    private static final int LAST_PORT = 65_535;

    /** What of an origin is matched. */
    private enum Part {
        HOST,
        HOST_AND_PORT,
        ALL
    }

    private final String text;
    private final Part part;
    /** What is matched of an origin, in which everything is lower case. */
    private final String ofOrigin;

    /**
     * Checks a pattern.
     *
     * @param text the pattern
     * @throws IllegalArgumentException if it is malformed
     */
    public KeyPattern(String text) {
        Preconditions.notBlank(SETTING, text);
        check(text.equals(text.strip()), text, "a text without spaces around it");
        check(!text.startsWith("."), text, SAMPLES + ": no host begins with a dot");
        check(!BARE_ADDRESS.matcher(text).matches(), text, "an IPv6 address in brackets, such as [::1]");
        check(!text.startsWith("[") || text.indexOf(']') > 1, text, "an IPv6 address in brackets, such as [::1]");
        check(!text.startsWith(":"), text, SAMPLES + ": nothing is before the colon; any host is *");
        check(!text.endsWith(":"), text, SAMPLES + ": nothing follows the colon; any port is *");
        this.text = text;
        int scheme = text.indexOf("://");
        Matcher port = PORT.matcher(scheme < 0 ? text : text.substring(scheme + 3));
        boolean hasPort = port.matches();
        if (hasPort && (scheme >= 0 || isHost(port.group("host")))) {
            checkPort(text, port.group("port"));
        }
        if (scheme >= 0) {
            checkUrl(text, scheme);
            part = Part.ALL;
            ofOrigin = lower(hasPort ? text : text + defaultPort(text.substring(0, scheme)));
        } else {
            part = hasPort ? Part.HOST_AND_PORT : Part.HOST;
            ofOrigin = lower(text);
        }
    }

    private static void checkUrl(String text, int scheme) {
        String place = text.substring(scheme + 3);
        check(scheme > 0 && !place.isEmpty(), text, "an origin such as https://api.github.com");
        boolean isOrigin = place.chars().noneMatch(c -> c == '/' || c == '?' || c == '@');
        check(isOrigin, text, SAMPLES + ": keys have no path and no user; if yours have, take a predicate");
    }

    private static void checkPort(String text, String port) {
        boolean known = port.contains("*") || (port.length() <= 5 && Integer.parseInt(port) <= LAST_PORT);
        check(known, text, "a host with a port of " + LAST_PORT + " at most");
    }

    /** Other keys may have a colon too. */
    private static boolean isHost(String text) {
        return text.indexOf('.') >= 0 || text.startsWith("[") || text.equals("localhost");
    }

    private static String defaultPort(String scheme) {
        return switch (lower(scheme)) {
            case "https" -> ":443";
            case "http" -> ":80";
            default -> ":*";
        };
    }

    private static void check(boolean accepted, String text, String accepts) {
        Preconditions.check(accepted, SETTING, "'" + text + "'", accepts);
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    @Override
    public boolean test(String key) {
        Matcher origin = ORIGIN.matcher(key);
        if (!origin.matches()) {
            return matches(text, key);
        }
        return matches(
                ofOrigin,
                switch (part) {
                    case HOST -> origin.group("host");
                    case HOST_AND_PORT -> origin.group("host") + ":" + origin.group("port");
                    case ALL -> key;
                });
    }

    /**
     * {@return whether this pattern matches all keys that a later one could match; false if that is uncertain} Keys
     * that are no origins but look like a host with a port are not considered.
     *
     * @param other the other one
     */
    public boolean covers(KeyPattern other) {
        if (part == other.part) {
            return matches(ofOrigin, other.ofOrigin) && (part == Part.ALL || matches(text, other.text));
        }
        return switch (part) {
            case HOST -> matches(ofOrigin, other.host());
            case HOST_AND_PORT -> other.part == Part.ALL && matches(ofOrigin, other.place());
            case ALL -> false;
        };
    }

    private String host() {
        Matcher port = PORT.matcher(place());
        return port.matches() ? port.group("host") : place();
    }

    /** {@return what the pattern says about host and port} */
    private String place() {
        return ofOrigin.substring(part == Part.ALL ? ofOrigin.indexOf("://") + 3 : 0);
    }

    /** {@return whether a text is of a form in which {@code *} stands for any characters, none included} */
    private static boolean matches(String form, String text) {
        int at = 0;
        int star = -1;
        int starAt = 0;
        for (int i = 0; i < text.length() || at < form.length(); ) {
            if (at < form.length() && form.charAt(at) == '*') {
                star = at++;
                starAt = i;
            } else if (i < text.length() && at < form.length() && form.charAt(at) == text.charAt(i)) {
                at++;
                i++;
            } else if (star >= 0 && starAt < text.length()) {
                at = star + 1; // the last star takes one more
                i = ++starAt;
            } else {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof KeyPattern that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return "'" + text + "'";
    }
}
