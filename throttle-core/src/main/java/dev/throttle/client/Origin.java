package dev.throttle.client;

import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Makes the default key of a request: scheme, host and port of its URL, in one form for all adapters. */
public final class Origin {

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
     * {@return the origin of a URL}
     *
     * @param scheme the scheme, in any case
     * @param host the host, in any case; an IPv6 address with or without brackets
     * @param port the port; negative for the scheme's own
     */
    public static String of(String scheme, @Nullable String host, int port) {
        String lower = scheme.toLowerCase(Locale.ROOT);
        String name = String.valueOf(host).toLowerCase(Locale.ROOT);
        String place = name.indexOf(':') >= 0 && !name.startsWith("[") ? "[" + name + "]" : name;
        return lower + "://" + place + ":" + (port >= 0 ? port : lower.equals("https") ? 443 : 80);
    }
}
