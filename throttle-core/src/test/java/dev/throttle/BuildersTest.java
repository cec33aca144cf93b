package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.HintReader;
import dev.throttle.signal.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Settings can be chained: each returns its builder. {@link ConfigurationTest} has what they refuse. */
class BuildersTest {

    private static final List<Supplier<Object>> BUILDERS = List.of(
            Throttle::builder,
            ThrottleRegistry::builder,
            RetryPolicy::builder,
            HintReader::builder,
            Strategies::quotaPacing,
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
            Strategies::slidingWindowCounter);

    private static final Set<String> MULTIPLIERS = Set.of("multiplier", "upMultiplier");

    /** A value of each type that the settings of that type accept, but for multipliers. */
    private static final Map<Class<?>, Object> VALUES = Map.ofEntries(
            Map.entry(boolean.class, true),
            Map.entry(int.class, 5),
            Map.entry(long.class, 5L),
            Map.entry(double.class, 1.0),
            Map.entry(Duration.class, Duration.ofMinutes(1)),
            Map.entry(String.class, "#requests"), // also a table of vendors, an empty one
            Map.entry(Path.class, emptyFile()),
            Map.entry(Set.class, Set.of(Outcome.BUSY)),
            Map.entry(PriorityPolicy.class, PriorityPolicy.standard()),
            Map.entry(RetryPolicy.class, RetryPolicy.none()));

    private static Path emptyFile() {
        try {
            Path file = Files.createTempFile("vendors", ".txt");
            file.toFile().deleteOnExit();
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @TestFactory
    Stream<DynamicTest> eachSetterReturnsItsBuilder() {
        return BUILDERS.stream()
                .flatMap(builder -> setters(builder.get().getClass())
                        .map(setter -> DynamicTest.dynamicTest(
                                builder.get().getClass().getName() + "." + setter.getName() + " of "
                                        + Arrays.toString(setter.getParameterTypes()),
                                () -> assertChains(builder.get(), setter))));
    }

    private static Stream<Method> setters(Class<?> builder) {
        return Arrays.stream(builder.getMethods())
                .filter(method ->
                        method.getParameterCount() > 0 || method.getName().equals("initialLimitMeasured"))
                .filter(method -> method.getReturnType().isAssignableFrom(builder))
                .filter(method -> method.getReturnType() != Object.class && !Modifier.isStatic(method.getModifiers()))
                .filter(method -> !method.getName().equals("set") && !method.isBridge());
    }

    private static void assertChains(Object builder, Method setter) throws Exception {
        Object[] arguments = Arrays.stream(setter.getParameterTypes())
                .map(type -> MULTIPLIERS.contains(setter.getName()) ? (Object) 2.0 : value(type))
                .toArray();
        try {
            assertThat(setter.invoke(builder, arguments)).isSameAs(builder);
        } catch (InvocationTargetException e) {
            throw new AssertionError(Arrays.toString(arguments), e.getCause());
        }
    }

    private static Object value(Class<?> type) {
        Object value = VALUES.get(type);
        if (value != null) {
            return value;
        }
        return type.isEnum()
                ? type.getEnumConstants()[0]
                : Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> method.getName().equals("hashCode") ? 1 : null);
    }
}
