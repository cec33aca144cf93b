package dev.throttle.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RouteTemplateTest {

    @ParameterizedTest
    @CsvSource({
        "/, /",
        "'', ''",
        "/repos/owner/name/issues/123, /repos/owner/name/issues/*",
        "/v1/users/42/, /v1/users/*/",
        "/v2/face, /v2/face",
        "/v1beta/models/gemini-2.5-flash-lite:streamGenerateContent, /v1beta/models/gemini-2.5-flash-lite:streamGenerateContent",
        "/commits/0a1b2c3d4e5f, /commits/*",
        "/deadbeef, /deadbeef",
        "/items/3f2504e0-4f89-11d3-9a0c-0305e82c3301?x=1, /items/*",
        "/days/2026-10-06, /days/*",
        "/api/v10/channels/81384788765712384/messages, /api/v10/channels/*/messages",
        "/files/AbCdEf0123456789xyZq, /files/*",
        "/v1beta/models/gemini-2.0-flash-lite:generateContent, /v1beta/models/gemini-2.0-flash-lite:generateContent",
        "/a-very-long-segment-of-words-that-goes-on-and-on, /*",
        "//1, //*",
    })
    void whatDiffersFromCallToCallIsAnAsterisk(String path, String route) {
        assertThat(RouteTemplate.of("GET", path)).isEqualTo("GET " + route);
    }
}
