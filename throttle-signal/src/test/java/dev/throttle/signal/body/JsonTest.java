package dev.throttle.signal.body;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JsonTest {

    @Test
    void aScalarHasThePathOfTheNamesThatLeadToIt() {
        Json json = Json.read(
                " {\"error\" : {\"code\":429, \"metadata\":{\"headers\":{\"A\":\"1\",\"B\":null}}},\"x\":[true,"
                        + "{\"y\":-1.5e+3},[\"z\"]], \"e\":{}, \"f\":[ ]} ");
        assertThat(json.at("error.code")).isEqualTo("429");
        assertThat(json.at("error.metadata.headers.A")).isEqualTo("1");
        assertThat(json.membersOf("error.metadata.headers"))
                .extracting(Json.Scalar::name)
                .containsExactly("A", "B");
        assertThat(json.membersOf("error")).extracting(Json.Scalar::value).containsExactly("429");
        assertThat(json.allAt("x")).containsExactly("true", "z");
        assertThat(json.at("x.y")).isEqualTo("-1.5e+3");
        assertThat(json.at("code")).isEmpty();
    }

    @Test
    void aKeyInsideOfAStringIsNoKey() {
        Json json = Json.read("{\"message\":\"{\\\"code\\\":\\\"insufficient_quota\\\"}\",\"type\":\"code\"}");
        assertThat(json.any("code", value -> true)).isFalse();
        assertThat(json.at("message")).isEqualTo("{\"code\":\"insufficient_quota\"}");
        assertThat(json.first("type")).isEqualTo("code");
    }

    @Test
    void escapesAreUnescaped() {
        assertThat(Json.read("[\"\\u0041\\n\\t\\b\\f\\r\\/\\\\\\\"\\u00e9\"]").at(""))
                .isEqualTo("A\n\t\b\f\r/\\\"é");
        assertThat(Json.read("{\"a\":1,\"b\":\"\\x\",\"c\":2}").at("a")).isEqualTo("1");
        assertThat(Json.read("{\"b\":\"\\x\",\"c\":2}").at("c")).isEmpty();
        assertThat(Json.read("[\"\\u12g4\"]").allAt("")).isEmpty();
    }

    @Test
    void ofATextThatIsCutOffTheBeginningCounts() {
        String whole = "{\"a\":\"first\",\"b\":[1,{\"c\":\"second\"}],\"d\":\"third\"}";
        for (int end = 0; end <= whole.length(); end++) {
            Json json = Json.read(whole.substring(0, end));
            assertThat(json.at("a")).isEqualTo(end >= "{\"a\":\"first\"".length() ? "first" : "");
            assertThat(json.at("b")).isEqualTo(end > whole.indexOf("1,") + 1 ? "1" : "");
            assertThat(json.at("d")).isEqualTo(end >= whole.length() - 1 ? "third" : "");
        }
    }

    @Test
    void aNumberThatMayBeCutOffDoesNotCount() {
        assertThat(Json.read("{\"limit\":30").at("limit")).isEmpty();
        assertThat(Json.read("{\"limit\":30 ").at("limit")).isEqualTo("30");
    }

    @Test
    void depthAndNumberAreBounded() {
        assertThat(Json.read("[".repeat(8000) + "1").allAt("")).isEmpty();
        assertThat(Json.read("[".repeat(32) + "1" + "]".repeat(32)).at("")).isEqualTo("1");
        assertThat(Json.read("[" + "1,".repeat(4000) + "1]").allAt("")).hasSize(512);
    }
}
