package dev.throttle.signal.usage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.usage.JsonMembers.Found;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects are found in a piece of JSON, however it begins and ends. */
class JsonMembersTest {

    private static final String WHOLE = "\"u\":{\"n\":1}";

    private static @Nullable Map<String, String> members(@Nullable Found found) {
        return found == null ? null : found.members();
    }

    private static @Nullable Map<String, String> last(String text) {
        return members(JsonMembers.last(text, "u"));
    }

    private static @Nullable Map<String, String> first(String text) {
        return members(JsonMembers.first(text, "u"));
    }

    @Test
    void theLastWholeObjectCountsAndTheFirst() {
        String text = "\"u\":{\"n\":1},\"u\":{\"n\":2},\"u\":{\"n\":3";
        assertThat(last(text)).isEqualTo(Map.of("n", "2"));
        assertThat(first(text)).isEqualTo(Map.of("n", "1"));
        assertThat(last("x" + WHOLE)).isEqualTo(Map.of("n", "1"));
        assertThat(last(WHOLE.replace("u", "v"))).isNull();
    }

    @Test
    void eightPiecesAreTried() {
        String broken = "\"u\":{,";
        assertThat(last(WHOLE + broken.repeat(7))).isEqualTo(Map.of("n", "1"));
        assertThat(last(WHOLE + broken.repeat(8))).isNull();
        assertThat(first(broken.repeat(7) + WHOLE)).isEqualTo(Map.of("n", "1"));
        assertThat(first(broken.repeat(8) + WHOLE)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"u\"",
                "\"u\":",
                "\"u\": ",
                "\"u\":[1]",
                "\"u\" {\"n\":1}",
                "\"u\":{",
                "\"u\":{\"n",
                "\"u\":{\"n\"",
                "\"u\":{\"n\" 1}",
                "\"u\":{\"n\":1",
                "\"u\":{\"n\":,}",
                "\"u\":{\"n\":\"a",
                "\"u\":{\"n\":1,}",
                "\"u\":{\"n\":1 \"m\":2}",
                "\"u\":{n:1}",
                "\"u\":{\"n\":[1,2}",
                "\"u\":{\"n\":[\"a",
                "\"u\":{\"n\":{\"a\":1}",
            })
    void whatIsCutOffOrNoObjectIsNotFound(String text) {
        assertThat(last(text)).isNull();
        assertThat(first(text)).isNull();
    }

    @Test
    void membersAreNumbersLiteralsAndStrings() {
        assertThat(
                        last(
                                "\"u\" : { \"a\" : 1.5 , \"b\" : \"x\\\"y\" , \"c\" : null , \"d\" : [1, \"]\", {}], \"e\":-2 }"))
                .isEqualTo(Map.of("a", "1.5", "b", "x\\\"y", "c", "null", "e", "-2"));
        assertThat(last("\"u\":{}")).isEmpty();
    }

    @Test
    void sixteenLevelsAreSkippedAndNoMore() {
        assertThat(last("\"u\":{\"a\":" + "[".repeat(16) + "]".repeat(16) + ",\"n\":1}"))
                .isEqualTo(Map.of("n", "1"));
        assertThat(last("\"u\":{\"a\":" + "[".repeat(17) + "]".repeat(17) + ",\"n\":1}"))
                .isNull();
    }

    @Test
    void anObjectOf64MembersIsReadAndNoLargerOne() {
        StringBuilder members = new StringBuilder("\"m0\":0");
        for (int i = 1; i < 64; i++) {
            members.append(",\"m").append(i).append("\":").append(i);
        }
        assertThat(last("\"u\":{" + members + "}")).hasSize(64);
        assertThat(last("\"u\":{" + members + ",\"m64\":64}")).isNull();
    }

    @Test
    void anArrayIsFoundBehindMembersOfTheSameName() {
        assertThat(JsonMembers.hasArray("\"e\":[", "e")).isTrue();
        assertThat(JsonMembers.hasArray("\"e\":1,\"e\":\"[\",\"e\" : [1]", "e")).isTrue();
        assertThat(JsonMembers.hasArray("\"e\":1,\"e\"", "e")).isFalse();
        assertThat(JsonMembers.hasArray("[\"e\",[", "e")).isFalse();
    }

    @Test
    void aStringIsFoundBehindMembersOfTheSameName() {
        Set<String> values = Set.of("", "LIMITED");
        assertThat(JsonMembers.hasString("\"c\":\"LIMITED\"", "c", values)).isTrue();
        assertThat(JsonMembers.hasString("\"c\":\"\"", "c", values)).isTrue();
        assertThat(JsonMembers.hasString("\"c\":1,\"c\":\"x\",\"c\" : \"LIMITED\"", "c", values))
                .isTrue();
        assertThat(JsonMembers.hasString("\"c\":LIMITED,\"c\":\"LIMITED", "c", values))
                .isFalse();
    }
}
