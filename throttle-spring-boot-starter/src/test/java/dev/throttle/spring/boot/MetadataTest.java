package dev.throttle.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;

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
