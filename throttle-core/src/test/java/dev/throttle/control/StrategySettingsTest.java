package dev.throttle.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each setting of a strategy can be read and made by its name. */
class StrategySettingsTest {

    static List<Supplier<StrategyBuilder<?>>> builders() {
        return List.of(
                Strategies::linearBackoff,
                Strategies::exponentialBackoff,
                Strategies::exponentialIncreaseGradualDecrease,
                Strategies::exponentialIncreaseProportionalDecrease,
                Strategies::exponentialIncreaseProportionalRemainingDecrease,
                Strategies::responsiveBackoff,
                Strategies::greedyUntilReset,
                Strategies::busyRps,
                Strategies::tokenBucket,
                Strategies::leakyBucket,
                Strategies::fixedWindow,
                Strategies::slidingWindowLog,
                Strategies::slidingWindowCounter,
                Strategies::quotaPacing,
                Strategies::inFlight);
    }

    private static Set<String> setters(Class<?> builder) {
        Set<String> names = new TreeSet<>();
        for (Method method : builder.getMethods()) {
            boolean isSetter = method.getParameterCount() > 0
                    && StrategyBuilder.class.isAssignableFrom(method.getReturnType())
                    && !Modifier.isStatic(method.getModifiers());
            if (isSetter && !method.getName().equals("set")) {
                names.add(method.getName());
            }
        }
        return names;
    }

    /** A value that every setting of a type accepts. */
    private static Object value(Class<?> type) {
        return type == Duration.class
                ? (Object) Duration.ofMinutes(1)
                : type == long.class ? 7L : type == double.class ? 0.5 : type == boolean.class ? true : "tokens";
    }

    @ParameterizedTest
    @MethodSource("builders")
    void eachSetterReturnsItsBuilder(Supplier<StrategyBuilder<?>> builders) throws ReflectiveOperationException {
        StrategyBuilder<?> builder = builders.get();
        for (Method setter : builder.getClass().getMethods()) {
            if (setters(builder.getClass()).contains(setter.getName()) && !setter.isBridge()) {
                Object[] values = Arrays.stream(setter.getParameterTypes())
                        .map(StrategySettingsTest::value)
                        .toArray();
                boolean aboveOne = Set.of("multiplier", "upMultiplier", "decreaseDivisor", "initialLimit")
                        .contains(setter.getName());
                assertThat(setter.invoke(builder, aboveOne ? new Object[] {2.0} : values))
                        .as("%s.%s", builder.name(), setter.getName())
                        .isSameAs(builder);
            }
        }
        assertThat(builder.build().name()).isEqualTo(builder.name());
    }

    @ParameterizedTest
    @MethodSource("builders")
    void eachSetterHasANameThatItCanBeMadeBy(Supplier<StrategyBuilder<?>> builders) {
        StrategyBuilder<?> builder = builders.get();
        Map<String, String> settings = builder.build().settings();
        assertThat(settings.keySet()).containsAll(setters(builder.getClass()));
        settings.forEach(
                (name, value) -> assertThat(builder.set(name, value)).as(name).isSameAs(builder));
        assertThat(builder.build().settings()).isEqualTo(settings);
        assertThat(Arrays.asList(settings.values().toArray())).doesNotContainNull();
    }
}
