package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the user's code may do where a registry runs it. */
class RegistryUserCodeTest {

    private static final AdmissionGuard OPEN = new AdmissionGuard() {
        @Override
        public String name() {
            return "open";
        }

        @Override
        public @Nullable Pass tryEnter() {
            return null;
        }
    };

    /** It used to be a "Recursive update" wherever the two keys fell into one bin. */
    @Test
    void aGuardFactoryMayAskForAnotherKey() {
        AtomicReference<ThrottleRegistry> registry = new AtomicReference<>();
        registry.set(ThrottleRegistry.builder()
                .guardPerKey(key -> {
                    if (!key.startsWith("shared")) {
                        registry.get().get("shared" + key.hashCode() % 100);
                    }
                    return OPEN;
                })
                .build());
        for (int i = 0; i < 2_000; i++) {
            assertThat(registry.get().get("key" + i).key()).isEqualTo("key" + i);
        }
    }

    @Test
    void aListenerMayAskForAThrottleWhenAnotherIsDropped() {
        AtomicReference<ThrottleRegistry> registry = new AtomicReference<>();
        List<String> dropped = new ArrayList<>();
        registry.set(new Timeline()
                .registry(TestStrategies.free())
                .maxKeys(1)
                .listener(new ThrottleListener() {
                    @Override
                    public void onEvicted(Source throttle) {
                        dropped.add(throttle.key());
                        if (dropped.size() < 20) {
                            registry.get().get("heir of " + dropped.size()).tryAcquire();
                        }
                    }
                })
                .build());
        for (int i = 0; i < 20; i++) {
            Permit permit = registry.get().get("key" + i).tryAcquire();
            if (permit != null) {
                permit.complete(Signal.SUCCESS);
            }
        }
        assertThat(dropped).isNotEmpty();
    }

    @Test
    void whatAGuardFactoryThrowsIsTheCallersException() {
        ThrottleRegistry throttles = ThrottleRegistry.builder()
                .guardPerKey(key -> {
                    throw new IllegalStateException("no guard");
                })
                .build();
        assertThatThrownBy(() -> throttles.get("a")).hasMessage("no guard");
        assertThat(throttles.getIfPresent("a")).isNull();
    }

    @Test
    void aKeyIsShownByItsLabel() {
        Timeline line = new Timeline();
        ThrottleRegistry throttles = line.registry(TestStrategies.free())
                .name("github")
                .maxWait(Duration.ofMinutes(10))
                .label(key -> key.substring(0, key.indexOf(' ')))
                .build();
        Throttle throttle = throttles.get("api.github.com sk-secret");
        assertThat(throttle.key()).isEqualTo("api.github.com sk-secret");
        assertThat(throttle.label()).isEqualTo("api.github.com");
        assertThat(throttle.snapshot().label()).isEqualTo("api.github.com");
        assertThat(throttle).hasToString("Throttle[github, api.github.com]");
        assertThat(throttles).hasToString("ThrottleRegistry[github, 1 keys]");
        throttle.acquireAsync().join().complete(Timeline.retryAfter(Duration.ofSeconds(3601)));
        ThrottleRejectedException rejection = Timeline.rejection(throttle.acquireAsync());
        assertThat(rejection)
                .hasMessage("Throttle \"github\" (api.github.com): the call would have to wait 1 h 0 min 1 s"
                        + " (retry-after), but maxWait is 10 min");
        assertThat(rejection.label()).isEqualTo("api.github.com");
    }
}
