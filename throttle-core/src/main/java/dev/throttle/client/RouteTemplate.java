package dev.throttle.client;

/**
 * The route of a request: its method, and its path in which each segment that tells one thing from others of its kind
 * is an asterisk. These are numbers, hexadecimal numbers, UUIDs, dates and whatever is long.
 */
final class RouteTemplate {

    private static final int LONGEST_NAME = 40;
    /** A shorter one may be a word, such as {@code face}. */
    private static final int SHORTEST_HEX = 8;
    /** No word has a digit and so many characters. */
    private static final int SHORTEST_TOKEN = 20;

    private static final String[] MODEL_PATHS = {
        "/completions", "/responses", "/messages", "/embeddings", "/chat", "/rerank"
    };

    private RouteTemplate() {}

    static String of(String method, String path) {
        StringBuilder route = new StringBuilder(method.length() + 1 + path.length());
        route.append(method).append(' ');
        int end = end(path);
        int from = 0;
        while (from < end) {
            int slash = path.indexOf('/', from);
            int to = slash < 0 ? end : Math.min(slash, end);
            if (isId(path, from, to)) {
                route.append('*');
            } else {
                route.append(path, from, to);
            }
            if (to < end) {
                route.append('/');
            }
            from = to + 1;
        }
        return route.toString();
    }

    /** {@return whether the body of a request may name the language model that it is for} */
    static boolean isOfModel(String path) {
        for (String end : MODEL_PATHS) {
            if (path.endsWith(end)) {
                return true;
            }
        }
        return false;
    }

    private static int end(String path) {
        int query = path.indexOf('?');
        return query < 0 ? path.length() : query;
    }

    private static boolean isId(String path, int from, int to) {
        int length = to - from;
        int digits = 0;
        int hex = 0;
        int hyphens = 0;
        for (int i = from; i < to; i++) {
            char c = path.charAt(i);
            digits += c >= '0' && c <= '9' ? 1 : 0;
            hex += Character.digit(c, 16) >= 0 ? 1 : 0;
            hyphens += c == '-' ? 1 : 0;
        }
        boolean isNumber = digits > 0 && digits + hyphens == length;
        boolean isHex = digits > 0 && hex + hyphens == length && length >= SHORTEST_HEX;
        boolean isToken = (digits > 0 && length >= SHORTEST_TOKEN) || length > LONGEST_NAME;
        return isNumber || isHex || (isToken && !hasColon(path, from, to));
    }

    /** Google's APIs have a verb behind a colon, and a name before it that counts. */
    private static boolean hasColon(String path, int from, int to) {
        int colon = path.indexOf(':', from);
        return colon >= 0 && colon < to;
    }
}
