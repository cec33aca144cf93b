package dev.throttle.lease.fleet;

import dev.throttle.internal.Nanos;
import dev.throttle.lease.fleet.Learned.Told;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The text form in which the store keeps what was learned. A writer to the store is trusted no more than a server that
 * sends headers: what does not have this form, or is beyond all bounds, is left out.
 */
final class LearnedText {

    private static final String NULL = "~";
    private static final int LONGEST = 4000;
    private static final int LONGEST_NAME = 200;
    private static final int MOST_QUOTAS = 16;
    private static final long MOST_MICROS = Duration.ofDays(366).toNanos() / 1000;

    private LearnedText() {}

    /**
     * A published message.
     *
     * @param client the process that published it
     * @param id the key that it is about
     */
    record Message(String client, String id, Learned learned) {}

    /** {@return the texts of a quota, without its numbers} */
    static String rest(Quota quota) {
        Duration window = quota.window();
        return text(quota.policy())
                + " " + (quota.limit() == null ? NULL : quota.limit())
                + " " + (window == null ? NULL : Nanos.of(window) / 1000)
                + " " + text(quota.unit())
                + " " + text(quota.partition());
    }

    /** {@return a unique name for a quota} */
    static String name(Quota quota) {
        return text(quota.policy()) + "," + text(quota.partition());
    }

    /** {@return whether a quota can be written at all} */
    static boolean isWritable(Quota quota) {
        String policy = quota.policy();
        String partition = quota.partition();
        return quota.remaining() != null
                && (policy == null || policy.length() <= LONGEST_NAME)
                && (partition == null || partition.length() <= LONGEST_NAME)
                && quota.unit().length() <= Cost.MAX_UNIT_LENGTH;
    }

    private static String text(@Nullable String value) {
        return value == null ? NULL : "=" + URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    /** {@return a message read from text; null if it is malformed} */
    static @Nullable Message message(String text) {
        if (text.length() > LONGEST) {
            return null;
        }
        String[] lines = text.split("\n", -1);
        if (lines.length < 5 || lines.length > 5 + MOST_QUOTAS || !lines[0].equals("1")) {
            return null;
        }
        List<Told> quotas = new ArrayList<>();
        for (int i = 5; i < lines.length; i++) {
            add(quotas, lines[i]);
        }
        return new Message(lines[1], lines[2], new Learned(whole(lines[3]), outcome(lines[4]), quotas));
    }

    /** {@return what is known of a key, read from its fields} */
    static Learned fields(List<?> fields) {
        long until = 0;
        Outcome outcome = Outcome.RATE_LIMITED;
        List<Told> quotas = new ArrayList<>();
        for (int i = 0; i + 1 < fields.size() && quotas.size() < MOST_QUOTAS; i += 2) {
            String name = String.valueOf(fields.get(i));
            String value = String.valueOf(fields.get(i + 1));
            if (name.equals("u")) {
                until = whole(value);
            } else if (name.equals("o")) {
                outcome = outcome(value);
            } else if (name.startsWith("q") && value.length() <= LONGEST) {
                add(quotas, value);
            }
        }
        return new Learned(until, outcome, quotas);
    }

    private static Outcome outcome(String text) {
        return text.equals("busy") ? Outcome.BUSY : Outcome.RATE_LIMITED;
    }

    static String outcome(Outcome outcome) {
        return outcome == Outcome.BUSY ? "busy" : "limited";
    }

    private static void add(List<Told> quotas, String line) {
        try {
            String[] parts = line.split(" ", -1);
            if (parts.length == 8) {
                quotas.add(told(parts));
            }
        } catch (IllegalArgumentException e) {
            // Not of this form: left out, as a header would be.
        }
    }

    private static Told told(String[] parts) {
        long said = Long.parseLong(parts[0]);
        long remaining = Math.max(0, Long.parseLong(parts[1]));
        long reset = Long.parseLong(parts[2]);
        Duration left = reset == 0 ? null : micros(reset - said);
        Long limit = parts[4].equals(NULL) ? null : Math.max(0, Long.parseLong(parts[4]));
        Duration window = parts[5].equals(NULL) ? null : micros(Math.max(1, Long.parseLong(parts[5])));
        String unit = name(parts[6]);
        if (unit == null || unit.isBlank() || unit.length() > Cost.MAX_UNIT_LENGTH) {
            throw new IllegalArgumentException("no unit");
        }
        return new Told(said, new Quota(name(parts[3]), limit, remaining, left, window, unit, name(parts[7])));
    }

    private static Duration micros(long value) {
        return Duration.ofNanos(Math.min(Math.max(0, value), MOST_MICROS) * 1000);
    }

    private static @Nullable String name(String text) {
        if (text.equals(NULL)) {
            return null;
        }
        if (!text.startsWith("=")) {
            throw new IllegalArgumentException("no name");
        }
        String name = URLDecoder.decode(text.substring(1), StandardCharsets.UTF_8);
        if (name.length() > LONGEST_NAME) {
            throw new IllegalArgumentException("too long");
        }
        return name;
    }

    /** {@return a number that is not negative; 0 for anything else} */
    private static long whole(String text) {
        try {
            return Math.max(0, Long.parseLong(text));
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
