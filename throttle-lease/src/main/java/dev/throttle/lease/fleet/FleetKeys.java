package dev.throttle.lease.fleet;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The names of keys in the store. A key may hold a credential, so it is hashed unless it is to be readable. All names
 * of a fleet have the same hash tag, and so are in the same slot of a cluster.
 *
 * @param fleet the name of the fleet
 * @param readable whether keys are shown as they are
 */
public record FleetKeys(String fleet, boolean readable) {

    private static final int DIGITS = 32;
    private static final int LONGEST = 200;

    private String prefix() {
        return "throttle:{" + fleet + "}:";
    }

    /** {@return a key as the store knows it} */
    public String id(String scope, String key) {
        if (readable) {
            String text = encode(scope) + ":" + encode(key);
            if (text.length() <= LONGEST) {
                return text;
            }
        }
        String text = fleet.length() + ":" + fleet + scope.length() + ":" + scope + key;
        return hex("SHA-256", text).substring(0, DIGITS);
    }

    /** {@return the digest of a text, by such an algorithm} */
    public static String hex(String algorithm, String text) {
        try {
            byte[] digest = MessageDigest.getInstance(algorithm).digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has " + algorithm, e);
        }
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** {@return the name of a kind of data of a key} */
    public String of(String kind, String id) {
        return prefix() + kind + ":" + id;
    }

    /** {@return the name of a kind of data of the fleet} */
    public String of(String kind) {
        return prefix() + kind;
    }
}
