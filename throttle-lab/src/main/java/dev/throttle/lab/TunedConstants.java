package dev.throttle.lab;

import dev.throttle.control.Strategies;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The tuned constants of the default strategy, by name, as the library has them. They are not part of its API, so that
 * they are found by reflection, and changed by a system property that is read where a throttle is made.
 */
final class TunedConstants {

    static final String PROPERTY = "dev.throttle.quota-pacing.tuning";
    private static final String HOLDER = "dev.throttle.control.quota.Tuning";

    /** Factors that are off when they multiply by one; the others are off at zero. */
    private static final List<String> FACTORS =
            List.of("tolerance", "reference", "join", "firstInterval", "newcomerCut", "quotaCut", "damping");

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
