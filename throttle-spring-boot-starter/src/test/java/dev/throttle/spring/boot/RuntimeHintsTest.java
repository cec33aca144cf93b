package dev.throttle.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Cache;
import dev.throttle.ThrottleRegistry;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.http.HttpClient;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

/** What a native image is told of the classes that are found by their names. */
class RuntimeHintsTest {

    private final RuntimeHints hints = new RuntimeHints();

    RuntimeHintsTest() {
        new ThrottleRuntimeHints().registerHints(hints, getClass().getClassLoader());
    }

    @Test
    void theClassesOfTheCacheAreFound() throws Exception {
        ThrottleRegistry throttles = ThrottleRegistry.create();
        throttles.get("key");
        Set<Class<?>> generated = reachable(throttles).stream()
                .filter(type -> type.getPackageName().equals(Cache.class.getPackageName())
                        && type.getSimpleName().matches("[A-Z]+"))
                .collect(Collectors.toSet());
        assertThat(generated).hasSize(2);
        for (Class<?> type : generated) {
            assertThat(RuntimeHintsPredicates.reflection().onType(TypeReference.of(type)))
                    .as(type.getName())
                    .accepts(hints);
            assertThat(RuntimeHintsPredicates.reflection().onConstructorInvocation(type.getDeclaredConstructors()[0]))
                    .as(type.getName())
                    .accepts(hints);
        }
    }

    @Test
    void theLifecycleOfTheJdksClientIsFound() throws Exception {
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(HttpClient.class.getMethod("version")))
                .accepts(hints);
    }

    /** {@return the classes of all that hangs together with an object, as far as this library and the cache make it} */
    private static Set<Class<?>> reachable(Object start) throws IllegalAccessException {
        Set<Class<?>> found = new HashSet<>();
        Deque<Object> left = new ArrayDeque<>(Set.of(start));
        while (!left.isEmpty()) {
            Object object = left.pop();
            if (!found.add(object.getClass())) {
                continue;
            }
            for (Class<?> type = object.getClass(); isOurs(type); type = type.getSuperclass()) {
                for (Field field : type.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers())
                            && !field.getType().isPrimitive()) {
                        field.setAccessible(true);
                        Object value = field.get(object);
                        if (value != null && isOurs(value.getClass())) {
                            left.push(value);
                        }
                    }
                }
            }
        }
        return found;
    }

    private static boolean isOurs(Class<?> type) {
        String name = type == null ? "" : type.getName();
        return !name.contains("$$Lambda")
                && (name.startsWith("dev.throttle.") || name.startsWith("com.github.benmanes.caffeine."));
    }
}
