package dev.throttle.signal.header;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StructuredFieldsTest {

    @Test
    void theKindsOfValuesThatLimitsHaveAreRead() {
        List<StructuredItem> list = list("1, -2.5, \"a\\\"b\", t*k:/n, :aGVsbG8=:, ?0;x");

        assertThat(list)
                .extracting(StructuredItem::value)
                .containsExactly(1L, -2.5, "a\"b", "t*k:/n", new BareItemReader.Bytes("aGVsbG8="), false);
        assertThat(list.get(5).parameters()).isEqualTo(Map.of("x", true));
    }

    @Test
    void anIntegerHasAtMostFifteenDigits() {
        assertThat(list("999999999999999").get(0).value()).isEqualTo(999_999_999_999_999L);
        assertThat(StructuredFields.list("1000000000000000")).isNull();
        assertThat(StructuredFields.list("\"a\";r=1000000000000000")).isNull();
    }

    @Test
    void aDecimalHasAtMostTwelveDigitsBeforeAndThreeAfterThePoint() {
        assertThat(list("123456789012.123").get(0).value()).isEqualTo(123456789012.123);
        assertThat(StructuredFields.list("1234567890123.1")).isNull();
        assertThat(StructuredFields.list("1.1234")).isNull();
        assertThat(StructuredFields.list("1.")).isNull();
        assertThat(StructuredFields.list(".1")).isNull();
    }

    @Test
    void thereIsNoNegativeZero() {
        assertThat(list("-0.0").get(0).value()).isEqualTo(0.0);
        assertThat(list("-0").get(0).value()).isEqualTo(0L);
    }

    @Test
    void theLastOfSeveralParametersOrMembersWithOneKeyCounts() {
        assertThat(list("\"a\";r=1;r=2").get(0).parameters()).isEqualTo(Map.of("r", 2L));
        assertThat(dictionary("a=1, b=2, a=3").get("a")).isEqualTo(new StructuredItem(3L, Map.of()));
    }

    @Test
    void aDictionaryMemberWithoutValueIsTrue() {
        assertThat(dictionary("a;x=1, b")).containsEntry("a", new StructuredItem(true, Map.of("x", 1L)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1,",
                ",1",
                "1,,2",
                "1 2",
                "A=1;",
                "\"a",
                "\"a\\b\"",
                "\"\u00e9\"",
                "\"\t\"",
                ":a",
                ":a?:",
                "?2",
                "?",
                "@1659578233",
                "%\"f%c3%bc\"",
                "(1 2)",
                "1;",
                "1;R=1",
                "1;=1",
                "1;a=",
                "-",
                "--1",
                "+1",
                "1;a =1",
                "1 ;a=1",
                "\u0661",
                "\t1",
                "1;\ta",
                "{",
                "a=1"
            })
    void aMistakeSpoilsTheWholeList(String text) {
        assertThat(StructuredFields.list(text)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"1", "a=", "a=1,", "A=1", "a=1 b=2", "a==1", "a =1", "a= 1", "=1", "a=1;", "\"a\"=1", "a=(1)"})
    void aMistakeSpoilsTheWholeDictionary(String text) {
        assertThat(StructuredFields.dictionary(text)).isNull();
    }

    @Test
    void spacesAroundTheFieldAndTabsBetweenMembersAreAllowed() {
        assertThat(StructuredFields.list("  1 \t,\t 2  ")).hasSize(2);
        assertThat(StructuredFields.list("   ")).isEmpty();
        assertThat(StructuredFields.dictionary("")).isEmpty();
    }

    @Test
    void moreThanSixteenMembersAreAMistake() {
        assertThat(StructuredFields.list("1" + ",1".repeat(15))).hasSize(16);
        assertThat(StructuredFields.list("1" + ",1".repeat(16))).isNull();
        assertThat(StructuredFields.dictionary("a=1" + ",a=1".repeat(16))).isNull();
    }

    private static List<StructuredItem> list(String text) {
        List<StructuredItem> list = StructuredFields.list(text);
        assertThat(list).isNotNull();
        return list == null ? List.of() : list;
    }

    private static Map<String, StructuredItem> dictionary(String text) {
        Map<String, StructuredItem> dictionary = StructuredFields.dictionary(text);
        assertThat(dictionary).isNotNull();
        return dictionary == null ? Map.of() : dictionary;
    }
}
