package dev.throttle.control.config;

import dev.throttle.internal.DurationText;
import dev.throttle.internal.Preconditions;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * One setting of a strategy as text, read from and written to its builder.
 *
 * @param key the setting's name, as in the builder
 * @param get writes the builder's value
 * @param set reads a value into the builder
 * @param <B> the builder
 */
public record Option<B>(String key, Function<B, String> get, BiConsumer<B, String> set) {

    public static <B> Option<B> duration(String key, Function<B, Duration> get, BiConsumer<B, Duration> set) {
        return new Option<>(
                key,
                builder -> DurationText.format(get.apply(builder)),
                (builder, text) -> set.accept(builder, DurationText.parse(key, text)));
    }

    public static <B> Option<B> number(String key, Function<B, Double> get, BiConsumer<B, Double> set) {
        return new Option<>(
                key,
                builder -> String.valueOf(get.apply(builder)),
                (builder, text) -> set.accept(builder, parseNumber(key, text, "a number")));
    }

    public static <B> Option<B> whole(String key, Function<B, Long> get, BiConsumer<B, Long> set) {
        return new Option<>(
                key,
                builder -> String.valueOf(get.apply(builder)),
                (builder, text) -> set.accept(builder, parseWhole(key, text)));
    }

    public static <B> Option<B> flag(String key, Function<B, Boolean> get, BiConsumer<B, Boolean> set) {
        return new Option<>(key, builder -> String.valueOf(get.apply(builder)), (builder, text) -> {
            Preconditions.check(text.equals("true") || text.equals("false"), key, text, "true or false");
            set.accept(builder, Boolean.valueOf(text));
        });
    }

    public static double parseNumber(String key, String text, String accepts) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            Preconditions.check(false, key, text, accepts);
            throw e;
        }
    }

    public static long parseWhole(String key, String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            Preconditions.check(false, key, text, "a whole number");
            throw e;
        }
    }

    /** {@return the settings of a builder as text, in the order of the options} */
    public static <B> Map<String, String> texts(List<Option<B>> options, B builder) {
        Map<String, String> texts = new LinkedHashMap<>();
        for (Option<B> option : options) {
            texts.put(option.key, option.get.apply(builder));
        }
        return Collections.unmodifiableMap(texts);
    }
}
