package dev.throttle.internal;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Map.Entry;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as people write them: {@code 800ns}, {@code 20us}, {@code 250ms}, {@code 1.5s}, {@code 30m}, {@code 1h}.
 */
public final class DurationText {

    /** A duration without end, written {@code forever}. */
    public static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

    /** Shorter ones are told in milliseconds. */
    private static final Duration LONG = Duration.ofSeconds(10);

    private static final String[] SPOKEN_UNITS = {" d", " h", " min", " s"};
    private static final String FOREVER_TEXT = "forever";
    private static final Pattern FORM = Pattern.compile("([0-9]{1,30}(?:\\.[0-9]{1,30})?)(ns|us|ms|s|m|h|d)");
    /** Nanoseconds of each unit, the longest first. */
    private static final Map<String, BigDecimal> UNITS = new LinkedHashMap<>();

    static {
        UNITS.put("d", nanos(Duration.ofDays(1)));
        UNITS.put("h", nanos(Duration.ofHours(1)));
        UNITS.put("m", nanos(Duration.ofMinutes(1)));
        UNITS.put("s", nanos(Duration.ofSeconds(1)));
        UNITS.put("ms", nanos(Duration.ofMillis(1)));
        UNITS.put("us", nanos(Duration.ofNanos(1_000)));
        UNITS.put("ns", nanos(Duration.ofNanos(1)));
    }

    private DurationText() {}

    /**
     * {@return a duration read from text, to the nearest nanosecond}
     *
     * @param name the setting that it is for
     * @param text a number and a unit, or {@code forever}
     * @throws IllegalArgumentException if it is something else
     */
    public static Duration parse(String name, String text) {
        if (text.equals(FOREVER_TEXT)) {
            return FOREVER;
        }
        Matcher form = FORM.matcher(text);
        Preconditions.check(
                form.matches(), name, "'" + text + "'", "a duration such as 250ms, 1.5s, 30m or 1h, or forever");
        BigDecimal unit = UNITS.getOrDefault(form.group(2), BigDecimal.ONE);
        BigDecimal nanos = new BigDecimal(form.group(1)).multiply(unit).setScale(0, RoundingMode.HALF_UP);
        BigDecimal[] parts = nanos.divideAndRemainder(nanos(Duration.ofSeconds(1)));
        Preconditions.check(parts[0].precision() <= 18, name, text, "shorter, or forever");
        return Duration.ofSeconds(parts[0].longValueExact(), parts[1].longValueExact());
    }

    /**
     * {@return a duration that is not negative as text that {@link #parse} reads back exactly}
     *
     * @param duration the duration
     */
    public static String format(Duration duration) {
        if (duration.equals(FOREVER)) {
            return FOREVER_TEXT;
        }
        if (duration.isZero()) {
            return "0s";
        }
        BigDecimal nanos = nanos(duration);
        for (Entry<String, BigDecimal> unit : UNITS.entrySet()) {
            BigDecimal[] parts = nanos.divideAndRemainder(unit.getValue());
            if (parts[1].signum() == 0) {
                return parts[0].toBigInteger() + unit.getKey();
            }
        }
        throw new AssertionError(duration);
    }

    /**
     * {@return a number of seconds, as {@link #spoken(Duration)} says it}
     *
     * @param seconds not negative
     */
    public static String spoken(double seconds) {
        return spoken(Duration.ofNanos(Nanos.ofSeconds(seconds)));
    }

    /**
     * {@return a duration as people say it, such as {@code 1 h 0 min 1 s}; never shorter than it is}
     *
     * @param duration not negative
     */
    public static String spoken(Duration duration) {
        if (duration.isZero()) {
            return "0 s";
        }
        if (duration.compareTo(LONG) < 0) {
            long unit = duration.compareTo(Duration.ofMillis(1)) < 0 ? 1_000 : 1_000_000;
            long count = (duration.toNanos() + unit - 1) / unit;
            return unit == 1_000 ? count + " \u00b5s" : count % 1_000 == 0 ? count / 1_000 + " s" : count + " ms";
        }
        Duration whole = duration.getNano() == 0 ? duration : Duration.ofSeconds(duration.getSeconds() + 1);
        StringBuilder text = new StringBuilder();
        long[] counts = {whole.toDays(), whole.toHoursPart(), whole.toMinutesPart(), whole.toSecondsPart()};
        int last = counts.length - 1;
        while (counts[last] == 0) {
            last--;
        }
        for (int i = 0; i <= last; i++) {
            if (counts[i] > 0 || !text.isEmpty()) {
                text.append(text.isEmpty() ? "" : " ").append(counts[i]).append(SPOKEN_UNITS[i]);
            }
        }
        return text.toString();
    }

    private static BigDecimal nanos(Duration duration) {
        return BigDecimal.valueOf(duration.getSeconds()).movePointRight(9).add(BigDecimal.valueOf(duration.getNano()));
    }
}
