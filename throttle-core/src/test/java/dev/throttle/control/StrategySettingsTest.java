package dev.throttle.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
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
                Strategies::quotaPacing);
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
