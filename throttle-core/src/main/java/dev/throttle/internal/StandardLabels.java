package dev.throttle.internal;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a key is shown unless the program says otherwise: as it is, except that a hash stands for what looks like a
 * credential. Equal credentials have equal hashes in all processes, so that their meters are the same. Thread-safe.
 */
public final class StandardLabels implements Function<String, String> {

    /** Such as {@code https://api.github.com:443}, which most keys are. */
    private static final Pattern ORIGIN = Pattern.compile("[a-z][a-z0-9+.-]*://[^\\s/@?#=]+");

    /** What comes before a credential; the credential is the last group. */
    private static final Pattern CREDENTIAL = Pattern.compile(String.join(
            "|",
            // the value of Authorization
            "(?i:\\b(?:bearer|basic|token|apikey|api-key)[ :=]+)(?<scheme>\\S+)",
            // a parameter
            "(?i:[\\w-]*(?:key|token|secret|password|passwd|signature|credential)[=:]\\s*)(?<parameter>[^\\s&,;]+)",
            // the user of a URL
            "(?<=://)(?<user>[^\\s/@]+)(?=@)",
            // tokens that say so themselves
            "(?<![A-Za-z0-9])(?<token>(?:gh[a-z]_|github_pat_|glpat-|sk-|[srp]k_(?:live|test)_|xox[a-z]-|AKIA|ASIA|AIza"
                    + "|hf_|npm_|pypi-|shp[a-z]{2}_|eyJ)[\\w.-]{4,})",
            // letters and figures without order, in which no word ends
            "(?<![A-Za-z0-9])(?<random>(?=[A-Za-z0-9]*[0-9])(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{20,})"));

    private static final String[] GROUPS = {"scheme", "parameter", "user", "token", "random"};
    private static final int HASH_BYTES = 6;

    private final Misuse misuse = new Misuse();

    /** Makes labels, and warns of the first credential. */
    public StandardLabels() {}

    @Override
    public String apply(String key) {
        if (ORIGIN.matcher(key).matches()) {
            return key;
        }
        String label = hidden(key);
        if (!label.equals(key)) {
            misuse.warn("a key seems to hold a credential, and is shown with a hash in its place; to show such keys"
                    + " otherwise, set a label");
        }
        return label;
    }

    private static String hidden(String key) {
        Matcher matcher = CREDENTIAL.matcher(key);
        StringBuilder label = new StringBuilder();
        int shown = 0;
        while (matcher.find()) {
            for (String group : GROUPS) {
                if (matcher.group(group) != null) {
                    label.append(key, shown, matcher.start(group)).append('#').append(hash(matcher.group(group)));
                    shown = matcher.end(group);
                }
            }
        }
        return label.append(key, shown, key.length()).toString();
    }

    /**
     * {@return a short hash of a text}
     *
     * @param secret the text
     */
    public static String hash(String secret) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
