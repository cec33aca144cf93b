package dev.throttle.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import java.io.InputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.test.util.ReflectionTestUtils;

/** What editors are told of the properties. */
class MetadataTest {

    private static Map<String, Object> read(String name) throws Exception {
        try (InputStream in = MetadataTest.class.getResourceAsStream("/META-INF/" + name)) {
            return JsonParserFactory.getJsonParser().parseMap(new String(in.readAllBytes(), "UTF-8"));
        }
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> list(Map<String, Object> map, String name) {
        return (List<Map<String, Object>>) map.get(name);
    }

    @Test
    void everyPropertyHasADescription() throws Exception {
        List<Map<String, Object>> properties = list(read("spring-configuration-metadata.json"), "properties");
        assertThat(properties)
                .hasSizeGreaterThan(15)
                .allSatisfy(property -> assertThat((String) property.get("description"))
                        .as((String) property.get("name"))
                        .isNotBlank()
                        .endsWith("."));
        assertThat(properties)
                .extracting(property -> property.get("name"))
                .contains("throttle.enabled", "throttle.clients", "throttle.max-wait", "throttle.retry.max-attempts");
    }

    /** A default in an editor that is not the library's would be worse than none. */
    @Test
    void theDefaultsAreThoseOfTheLibrary() throws Exception {
        Map<String, Object> defaults = new HashMap<>();
        list(read("spring-configuration-metadata.json"), "properties")
                .forEach(property -> defaults.put((String) property.get("name"), property.get("defaultValue")));
        Set.of(
                        "throttle.overload-wait",
                        "throttle.vendors",
                        "throttle.limits",
                        "throttle.settings",
                        "throttle.clients",
                        "throttle.reserve",
                        "throttle.tenant.header",
                        "throttle.tenant.mdc",
                        "throttle.tenant.weights")
                .forEach(defaults::remove);
        defaults.keySet().removeIf(name -> name.startsWith("throttle.fleet.limits"));
        defaults.keySet().removeAll(Set.of("throttle.fleet.name", "throttle.fleet.folder"));
        assertThat(defaults)
                .allSatisfy((name, value) -> assertThat(value).as(name).isNotNull());
        Throttle library = Throttle.create();
        ThrottleRegistry.Builder builder = ThrottleRegistry.builder();
        assertThat(defaults)
                .containsEntry("throttle.strategy", Strategies.standard().name())
                .containsEntry("throttle.name", "default")
                .containsEntry("throttle.enabled", true)
                .containsEntry("throttle.answer-rejections", true)
                .containsEntry("throttle.learn-routes", ReflectionTestUtils.getField(builder, "learnRoutes"))
                .containsEntry("throttle.max-waiting", ReflectionTestUtils.getField(builder, "maxWaiting"))
                .containsEntry("throttle.async-in-flight", ReflectionTestUtils.getField(builder, "asyncInFlight"))
                .containsEntry("throttle.retry.max-attempts", 3)
                .containsEntry("throttle.mode", "enforce")
                .containsEntry("throttle.when-full", "reject-newcomer");
        assertThat(DurationStyle.detectAndParse((String) defaults.get("throttle.max-wait")))
                .isEqualTo(library.maxWait());
    }

    @Test
    void theStrategiesThatAreProposedExist() throws Exception {
        List<Map<String, Object>> hints = list(read("additional-spring-configuration-metadata.json"), "hints");
        assertThat(hints)
                .singleElement()
                .satisfies(hint -> assertThat(list(hint, "values"))
                        .hasSize(10)
                        .allSatisfy(value -> assertThat(Strategies.names()).contains((String) value.get("value"))));
    }
}
