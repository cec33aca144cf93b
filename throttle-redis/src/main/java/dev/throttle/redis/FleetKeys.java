package dev.throttle.redis;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * The names of keys in the store. A key may hold a credential, so it is hashed unless it is to be readable. All names
 * of a fleet have the same hash tag, and so are in the same slot of a cluster.
 *
 * @param fleet the name of the fleet
 * @param readable whether keys are shown as they are
 */
record FleetKeys(String fleet, boolean readable) {

    private static final int DIGITS = 32;
    private static final int LONGEST = 200;

    private String prefix() {
        return "throttle:{" + fleet + "}:";
    }

    /** {@return a key as the store knows it} */
    String id(String scope, String key) {
        if (readable) {
            String text = encode(scope) + ":" + encode(key);
            if (text.length() <= LONGEST) {
                return text;
            }
        }
        String text = fleet.length() + ":" + fleet + scope.length() + ":" + scope + key;
        return Script.hex("SHA-256", text).substring(0, DIGITS);
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    String of(String kind, String id) {
        return prefix() + kind + ":" + id;
    }

    String of(String kind) {
        return prefix() + kind;
    }
}
