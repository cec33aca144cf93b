package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Controller;
import dev.throttle.control.RateController;
import dev.throttle.control.SleepController;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A guard that forgot a method would hide what a controller answers behind the default. */
class GuardTest {

    @ParameterizedTest
    @ValueSource(classes = {SafeRateController.class, SafeSleepController.class})
    void aGuardPassesEveryMethodOn(Class<?> guard) {
        Class<?> contract = guard == SafeRateController.class ? RateController.class : SleepController.class;
        List<String> missing = new ArrayList<>();
        for (Method method : Stream.concat(
                        Arrays.stream(contract.getDeclaredMethods()),
                        Arrays.stream(Controller.class.getDeclaredMethods()))
                .filter(method -> !method.isSynthetic())
                .toList()) {
            try {
                guard.getDeclaredMethod(method.getName(), method.getParameterTypes());
            } catch (NoSuchMethodException e) {
                missing.add(method.getName());
            }
        }
        assertThat(missing).isEmpty();
    }
}
