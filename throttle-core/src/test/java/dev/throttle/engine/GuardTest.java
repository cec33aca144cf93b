package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Controller;
import dev.throttle.control.RateController;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A guard that forgot a method would hide what a controller answers behind the default. */
class GuardTest {

    @Test
    void aGuardPassesEveryMethodOn() {
        List<String> missing = new ArrayList<>();
        for (Method method : Stream.concat(
                        Arrays.stream(RateController.class.getDeclaredMethods()),
                        Arrays.stream(Controller.class.getDeclaredMethods()))
                .filter(method -> !method.isSynthetic())
                .toList()) {
            try {
                SafeRateController.class.getDeclaredMethod(method.getName(), method.getParameterTypes());
            } catch (NoSuchMethodException e) {
                missing.add(method.getName());
            }
        }
        assertThat(missing).isEmpty();
    }
}
