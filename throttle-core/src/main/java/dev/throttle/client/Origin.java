package dev.throttle.client;

import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Makes the default key of a request: scheme, host and port of its URL, in one form for all adapters. */
public final class Origin {

    /** A power of two; origins that share a place take it from each other. */
    private static final int PLACES = 256;
    /** Longer hosts are not remembered: what redirects make up must not fill the memory. */
    private static final int LONGEST = 128;

    private static final int FACTOR = 31;

    /**
     * An origin and what it was made of, as most requests go where others went before. So the same key is the same
     * object, which is found faster.
     */
    private record Known(String scheme, String host, int port, String key) {

        boolean isOf(String otherScheme, String otherHost, int otherPort) {
            return port == otherPort && scheme.equals(otherScheme) && host.equals(otherHost);
        }
    }

    /** Read and written without order: a record is whole in whichever thread sees it. */
    private static final @Nullable Known[] KNOWN = new Known[PLACES];

    private Origin() {}

    /**
     * {@return the origin of a URL, such as {@code https://api.github.com:443}, without user and password}
     *
     * @param uri the URL
     */
    public static String of(URI uri) {
        String host = uri.getHost();
        int port = uri.getPort();
        if (host == null) { // such as one with an underscore, which the class takes for a name of another registry
            String authority = String.valueOf(uri.getRawAuthority());
            String place = authority.substring(authority.lastIndexOf('@') + 1);
            int colon = place.lastIndexOf(':');
            boolean hasPort = colon >= 0 && place.substring(colon + 1).matches("\\d{1,5}");
            port = hasPort ? Integer.parseInt(place.substring(colon + 1)) : -1;
            host = hasPort ? place.substring(0, colon) : place;
        }
        return of(String.valueOf(uri.getScheme()), host, port);
    }

    /**
     * {@return the origin that a key means, if it is a URL without a path; otherwise the key as it is} A key with a
     * user or a path was chosen by the program.
     *
     * @param key a key, such as {@code https://api.github.com/}
     */
    public static String ofKey(String key) {
        int begin = key.indexOf("://") + 3;
        boolean isHttp = key.regionMatches(true, 0, "http://", 0, 7) || key.regionMatches(true, 0, "https://", 0, 8);
        int end = key.endsWith("/") ? key.length() - 1 : key.length();
        if (!isHttp || end <= begin) {
            return key;
        }
        for (int i = begin; i < end; i++) {
            if ("/?#@".indexOf(key.charAt(i)) >= 0) {
                return key;
            }
        }
        try {
            URI uri = URI.create(key);
            boolean isPlace = uri.getHost() != null || key.substring(begin, end).matches("[^:]+(:\\d{1,5})?");
            return isPlace ? of(uri) : key;
        } catch (IllegalArgumentException e) {
            return key; // no URL after all
        }
    }

    /**
     * {@return the origin of a URL}
     *
     * @param scheme the scheme, in any case
     * @param host the host, in any case; an IPv6 address with or without brackets
     * @param port the port; negative for the scheme's own
     */
    public static String of(String scheme, @Nullable String host, int port) {
        if (host == null || host.isEmpty() || host.length() > LONGEST || scheme.length() > LONGEST) {
            return make(scheme, host, port);
        }
        int place = place(host, port);
        Known known = KNOWN[place];
        if (known != null && known.isOf(scheme, host, port)) {
            return known.key;
        }
        String key = make(scheme, host, port);
        KNOWN[place] = new Known(scheme, host, port, key);
        return key;
    }

    /** By a few characters: the host of a new URL has no hash code yet, which takes all of them. */
    private static int place(String host, int port) {
        int length = host.length();
        int hash = length + port;
        hash = hash * FACTOR + host.charAt(0);
        hash = hash * FACTOR + host.charAt(length >> 2);
        hash = hash * FACTOR + host.charAt(length >> 1);
        hash = hash * FACTOR + host.charAt(length - 1);
        return (hash ^ hash >>> 8) & PLACES - 1;
    }

    private static String make(String scheme, @Nullable String host, int port) {
        String lower = scheme.toLowerCase(Locale.ROOT);
        String name = String.valueOf(host).toLowerCase(Locale.ROOT);
        String place = name.indexOf(':') >= 0 && !name.startsWith("[") ? "[" + name + "]" : name;
        return lower + "://" + place + ":" + (port >= 0 ? port : lower.equals("https") ? 443 : 80);
    }
}
