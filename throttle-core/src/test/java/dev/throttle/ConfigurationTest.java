package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.retry.Backoff;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.HintReader;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Bad configuration is refused, and the message names the setting, what it accepts, and the value. */
class ConfigurationTest {

    /** Every builder there is: a new one per attempt. */
    private static final Map<String, Supplier<Object>> BUILDERS = new TreeMap<>(Map.ofEntries(
            Map.entry("throttle", Throttle::builder),
            Map.entry("retryPolicy", RetryPolicy::builder),
            Map.entry("hintReader", HintReader::builder),
            Map.entry("linearBackoff", Strategies::linearBackoff),
            Map.entry("exponentialBackoff", Strategies::exponentialBackoff),
            Map.entry("gradual", Strategies::exponentialIncreaseGradualDecrease),
            Map.entry("proportional", Strategies::exponentialIncreaseProportionalDecrease),
            Map.entry("remaining", Strategies::exponentialIncreaseProportionalRemainingDecrease),
            Map.entry("responsive", Strategies::responsiveBackoff),
            Map.entry("busyRps", Strategies::busyRps),
            Map.entry("tokenBucket", Strategies::tokenBucket),
            Map.entry("leakyBucket", Strategies::leakyBucket),
            Map.entry("fixedWindow", Strategies::fixedWindow),
            Map.entry("slidingLog", Strategies::slidingWindowLog),
            Map.entry("slidingCounter", Strategies::slidingWindowCounter)));

    /** Settings that accept every value of their type. */
    private static final Set<String> UNBOUNDED = Set.of("seed");

    @TestFactory
    Stream<DynamicTest> everySetterOfEveryBuilder() {
        return BUILDERS.entrySet().stream()
                .flatMap(builder -> setters(builder.getValue().get().getClass())
                        .flatMap(setter -> badArguments(setter)
                                .map(arguments -> DynamicTest.dynamicTest(
                                        builder.getKey() + "." + setter.getName() + Arrays.toString(arguments),
                                        () -> assertRefused(builder.getValue().get(), setter, arguments)))));
    }

    private static Stream<Method> setters(Class<?> builder) {
        return Arrays.stream(builder.getMethods())
                .filter(method -> method.getParameterCount() > 0)
                .filter(method -> method.getReturnType().isAssignableFrom(builder))
                .filter(method -> method.getReturnType() != Object.class && !Modifier.isStatic(method.getModifiers()))
                .filter(method -> !method.getName().equals("set")) // takes any setting, see StrategiesTest
                .filter(method -> !method.isBridge() && !UNBOUNDED.contains(method.getName()));
    }

    /** Each parameter in turn is bad in each way of its type. */
    private static Stream<@Nullable Object[]> badArguments(Method setter) {
        Class<?>[] types = setter.getParameterTypes();
        List<@Nullable Object[]> all = new ArrayList<>();
        for (int i = 0; i < types.length; i++) {
            for (Object bad : badValues(types[i])) {
                @Nullable Object[] arguments =
                        Arrays.stream(types).map(ConfigurationTest::goodValue).toArray();
                arguments[i] = bad;
                all.add(arguments);
            }
        }
        return all.stream();
    }

    private static List<@Nullable Object> badValues(Class<?> type) {
        if (type == double.class) {
            return List.of(Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -1.0, -Double.MIN_VALUE);
        }
        if (type == int.class) {
            return List.of(-1, Integer.MIN_VALUE);
        }
        if (type == long.class) {
            return List.of(-1L, Long.MIN_VALUE);
        }
        if (type == boolean.class) {
            return List.of();
        }
        List<@Nullable Object> bad = new ArrayList<>();
        bad.add(null);
        if (type == Duration.class) {
            bad.add(Duration.ofNanos(-1));
            bad.add(Duration.ofSeconds(Long.MIN_VALUE));
        }
        if (type == String.class) {
            bad.add("");
            bad.add(" \t");
        }
        return bad;
    }

    private static @Nullable Object goodValue(Class<?> type) {
        if (type == double.class) {
            return 0.5;
        }
        if (type == int.class) {
            return 1;
        }
        if (type == long.class) {
            return 1L;
        }
        if (type == String.class) {
            return "example.com";
        }
        return type == Duration.class ? Duration.ofSeconds(1) : type.isEnum() ? type.getEnumConstants()[0] : null;
    }

    private static void assertRefused(Object builder, Method setter, @Nullable Object[] arguments) {
        boolean isNull = Arrays.asList(arguments).contains(null);
        assertThatThrownBy(() -> apply(builder, setter, arguments))
                .isInstanceOf(isNull ? NullPointerException.class : IllegalArgumentException.class)
                .hasMessageMatching(isNull ? ".+ must not be null" : "(?s)\\S.* must be .+, but was .+");
    }

    /** A setting may also be refused by build(). */
    private static void apply(Object builder, Method setter, @Nullable Object[] arguments) throws Throwable {
        try {
            setter.setAccessible(true);
            setter.invoke(builder, arguments);
            Method build = builder.getClass().getMethod("build");
            build.setAccessible(true);
            build.invoke(builder);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @Test
    void theMessageNamesTheSettingTheValueAndWhatItAccepts() {
        assertMessage(
                () -> Throttle.builder().maxWait(Duration.ofSeconds(-3)),
                "maxWait must be a duration of zero or more, but was PT-3S");
        assertMessage(
                () -> Throttle.builder().maxWait(Duration.ofDays(36_501)),
                "maxWait must be at most PT876000H, but was PT876024H");
        assertMessage(
                () -> Throttle.builder().maxWaiting(-1),
                "maxWaiting must be a whole number from 0 to 2147483647, but was -1");
        assertMessage(
                () -> Throttle.builder().retryAfterJitter(1.5, Duration.ZERO),
                "retryAfterJitter share must be a number from 0.0 to 1.0, but was 1.5");
        assertMessage(() -> Throttle.builder().name("  "), "name must be a text that is not blank, but was '  '");
        assertMessage(
                () -> RetryPolicy.builder().maxAttempts(0),
                "maxAttempts must be a whole number from 1 to 2147483647, but was 0");
        assertMessage(
                () -> RetryPolicy.builder().budget(Double.NaN, 1),
                "budget ratio must be a number from 0.0 to 10.0, but was NaN");
        assertMessage(
                () -> RetryPolicy.builder().outcomes(Set.of(Outcome.SUCCESS)),
                "outcomes must be any of RATE_LIMITED, BUSY, UNREACHABLE and FAILED, but was [SUCCESS]");
        assertMessage(
                () -> ThrottleRegistry.builder().maxKeys(0).build(),
                "maxKeys must be a whole number from 1 to 2147483647, but was 0");
        assertMessage(
                () -> ThrottleRegistry.builder()
                        .maxKeys(1)
                        .idleExpiry(Duration.ZERO)
                        .build(),
                "idleExpiry must be a duration above zero, but was PT0S");
    }

    @Test
    void contradictionsAreRefused() {
        assertMessage(
                () -> Strategies.exponentialBackoff()
                        .minSleep(Duration.ofSeconds(9))
                        .maxSleep(Duration.ofSeconds(1))
                        .build(),
                "maxSleep must be a duration not below minSleep, PT9S, but was PT1S");
        assertMessage(
                () -> Backoff.exponentialFullJitter(Duration.ofSeconds(2), Duration.ofSeconds(1)),
                "cap must be a duration not below the base, PT2S, but was PT1S");
        assertThatThrownBy(() -> Throttle.builder()
                        .strategy(Strategies.exponentialBackoff().build())
                        .limit(Strategies.linearBackoff().build())
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("strategy and limits must be at most one strategy that sleeps (a SleepStrategy), "
                        + "but was [exponential-backoff, linear-backoff]");
    }

    @Test
    void theOptionsOfACallAreCheckedToo() {
        assertMessage(
                () -> CallOptions.DEFAULT.permits(0), "permits must be a whole number from 1 to 1000000, but was 0");
        assertMessage(
                () -> CallOptions.DEFAULT.maxWait(Duration.ofNanos(-1)),
                "maxWait must be a duration of zero or more, but was PT-0.000000001S");
        assertMessage(
                () -> CallOptions.DEFAULT.maxAttempts(0),
                "maxAttempts must be a whole number from 1 to 2147483647, but was 0");
        assertThat(CallOptions.DEFAULT.maxWait(null).maxAttempts(null)).isEqualTo(CallOptions.DEFAULT);
    }

    @Test
    void hugeValuesAreTakenAsNoLimit() throws Exception {
        Throttle throttle = Throttle.builder().maxWait(Duration.ofDays(36_500)).build();
        CallOptions patient = CallOptions.DEFAULT.maxWait(Duration.ofSeconds(Long.MAX_VALUE));
        Calls.of(throttle).newCall(patient).acquire().release();
        assertThat(throttle.maxWait()).isEqualTo(Duration.ofDays(36_500));
    }

    @Test
    void nullIsRefusedByName() {
        Throttle throttle = Throttle.create();
        assertNull(() -> Calls.of(throttle).newCall(nothing()), "options");
        assertNull(
                () -> Calls.of(throttle).newCall().acquireForced().complete(ConfigurationTest.<Signal>nothing()),
                "signal");
        assertNull(() -> throttle.executeAsync(nothing()), "action");
        assertNull(() -> throttle.execute(ConfigurationTest.<Callable<String>>nothing()), "action");
        assertNull(() -> ThrottleRegistry.create().get(nothing()), "key");
        assertNull(() -> ThrottleRegistry.create().getIfPresent(nothing()), "key");
        assertNull(() -> Backoff.exponentialFullJitter(Duration.ofSeconds(1), nothing()), "cap");
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // what a careless caller passes
    private static <T> T nothing() {
        return null;
    }

    private static void assertNull(ThrowingCallable call, String name) {
        assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessage(name + " must not be null");
    }

    private static void assertMessage(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }
}
