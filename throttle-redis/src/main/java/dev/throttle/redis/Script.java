package dev.throttle.redis;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A script that runs in Redis as one step, with Redis's own clock.
 *
 * @param text the text
 * @param digest what Redis calls it by once it knows it
 */
record Script(String text, String digest) {

    static Script of(String text) {
        return new Script(text, hex("SHA-1", text));
    }

    static String hex(String algorithm, String text) {
        try {
            byte[] digest = MessageDigest.getInstance(algorithm).digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has " + algorithm, e);
        }
    }
}
