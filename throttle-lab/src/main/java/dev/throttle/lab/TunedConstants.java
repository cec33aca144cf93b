package dev.throttle.lab;

import dev.throttle.control.Strategies;
import dev.throttle.control.StrategyBuilder;
import dev.throttle.internal.Preconditions;
import dev.throttle.lab.bar.BarReport;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The tuned constants of the default strategy, by name. They are not part of the library's API, so the lab finds and
 * changes them by reflection. Which ones are changed is in a system property of the lab.
 */
final class TunedConstants {

    /** {@code name=value} pairs with commas between them. */
    static final String PROPERTY = "dev.throttle.quota-pacing.tuning";

    private static final String HOLDER = "dev.throttle.control.quota.Tuning";

    /** Factors that are off when they multiply by one; the others are off at zero. */
    private static final List<String> FACTORS = List.of("tolerance", "reference", "requestsOfCosts", "join", "retryTo");

    private TunedConstants() {}

    /** {@return the usual values by name, in the order of the library} */
    static Map<String, Double> usual() {
        try {
            Class<?> holder = Class.forName(HOLDER, true, Strategies.class.getClassLoader());
            Constructor<?> maker = holder.getDeclaredConstructor();
            maker.setAccessible(true);
            Object tuning = maker.newInstance();
            Map<String, Double> values = new LinkedHashMap<>();
            for (Field field : holder.getDeclaredFields()) {
                if (field.getType() == double.class && !Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    values.put(field.getName(), field.getDouble(tuning));
                }
            }
            return values;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the constants of the default strategy cannot be read", e);
        }
    }

    /**
     * Gives a builder of the default strategy the constants that the system property changes.
     *
     * @param builder any strategy's; those of other strategies stay as they are
     * @throws IllegalArgumentException if there is no such constant, or if its value is no number
     */
    static void applyTo(StrategyBuilder<?> builder) {
        String text = System.getProperty(PROPERTY, "");
        if (text.isEmpty() || !builder.name().equals(BarReport.OURS)) {
            return;
        }
        Set<String> known = usual().keySet();
        Map<String, Double> changed = new LinkedHashMap<>();
        for (String pair : text.split(",", -1)) {
            String name = pair.substring(0, Math.max(0, pair.indexOf('=')));
            Preconditions.check(known.contains(name), PROPERTY, pair, "NAME=VALUE with one of " + known);
            changed.put(name, Preconditions.number(name, pair.substring(name.length() + 1)));
        }
        try {
            Method tuning = builder.getClass().getDeclaredMethod("tuning", Map.class);
            tuning.setAccessible(true);
            tuning.invoke(builder, changed);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the constants of the default strategy cannot be changed", e);
        }
    }

    /** {@return what a constant is set to, one after the other: off, half and double} */
    static List<Double> alternatives(String name, double usual) {
        List<Double> values = new ArrayList<>();
        values.add(FACTORS.contains(name) ? 1.0 : 0.0);
        values.add(usual / 2);
        values.add(usual * 2);
        values.remove(usual);
        return values;
    }
}
