package dev.throttle.signal.header;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.greenbytes.http.sfv.ByteSequenceItem;
import org.greenbytes.http.sfv.Item;
import org.greenbytes.http.sfv.ListElement;
import org.greenbytes.http.sfv.ParseException;
import org.greenbytes.http.sfv.Parser;
import org.greenbytes.http.sfv.TokenItem;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Our reader and the reference implementation read the same, or both refuse. Ours refuses lists inside lists, too. */
class StructuredFieldsOracleTest {

    private static final int INPUTS = 150_000;
    private static final String[] PIECES = {
        "1",
        "-1",
        "0",
        "999999999999999",
        "1000000000000000",
        "1.5",
        "-0.125",
        "123456789012.123",
        "1234567890123.1",
        "1.2345",
        "\"a\"",
        "\"\"",
        "\"a\\\"b\\\\\"",
        "\"a, b;c=1\"",
        "tok",
        "*t/o:k",
        "T!#$&'*+-.^_`|~9",
        ":aGVsbG8=:",
        "::",
        ":aGVsbG8:",
        ":aGVsbG9=:",
        ":a:",
        ":a b:",
        "?1",
        "?0",
        "?2",
        "(1 2)",
        "( 1  \"b\";x )",
        "()",
        "(a)(b)",
        "(",
        ")",
        "a",
        "b",
        "r",
        "t",
        "w",
        "q",
        "a*",
        "a_b-c.d*",
        "*x",
        "A",
        "9x",
        "=",
        ";",
        ",",
        " ",
        "\t",
        ", ",
        ";r=",
        ";t=",
        "; ",
        "\"",
        ":",
        "?",
        "\\",
        "\u00e9",
        "\u0661",
        "-",
        ".",
        "limit=",
        "remaining=",
        "reset=",
        "\"p\";q=10;w=60",
        "\"p\";r=5;t=1"
    };

    @Tag("slow")
    @Test
    void anyTextIsReadAsTheReferenceReadsIt() {
        SplittableRandom random = new SplittableRandom(9651);
        int understood = 0;
        for (int i = 0; i < INPUTS; i++) {
            String text = random.nextInt(4) == 0 ? soup(random) : mutated(wellFormed(random), random);
            understood += isUnderstood(text) ? 1 : 0;
        }
        assertThat(understood).isBetween(INPUTS / 10, INPUTS - INPUTS / 10);
    }

    /** {@return whether a text is one, at least as a list or as a dictionary} Fails if the two readers differ. */
    static boolean isUnderstood(String text) {
        List<Object> list = ours(StructuredFields.list(text));
        Map<String, Object> dictionary = ours(StructuredFields.dictionary(text));
        if (!isSame(text, list, referenceList(text)) || !isSame(text, dictionary, referenceDictionary(text))) {
            throw new AssertionError("<" + text + "> is read as " + list + " and " + dictionary);
        }
        return list != null || dictionary != null;
    }

    private static boolean isSame(String text, @Nullable Object ours, @Nullable Object reference) {
        return Objects.equals(ours, reference) || (ours == null && text.indexOf('(') >= 0);
    }

    private static String soup(SplittableRandom random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(10); i >= 0; i--) {
            text.append(PIECES[random.nextInt(PIECES.length)]);
        }
        return text.toString();
    }

    private static String wellFormed(SplittableRandom random) {
        boolean dictionary = random.nextBoolean();
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(4); i >= 0; i--) {
            if (dictionary) {
                text.append("abcr".charAt(random.nextInt(4))).append(random.nextInt(5) == 0 ? "" : "=" + value(random));
            } else {
                text.append(value(random));
            }
            for (int p = random.nextInt(3); p > 0; p--) {
                text.append(";").append("rtqw".charAt(random.nextInt(4)));
                text.append(random.nextInt(4) == 0 ? "" : "=" + PIECES[random.nextInt(26)]);
            }
            text.append(i == 0 ? "" : random.nextBoolean() ? "," : ", ");
        }
        return text.toString();
    }

    private static String value(SplittableRandom random) {
        return PIECES[random.nextInt(30)];
    }

    private static String mutated(String text, SplittableRandom random) {
        StringBuilder mutated = new StringBuilder(text);
        for (int i = random.nextInt(3); i > 0 && mutated.length() > 0; i--) {
            int at = random.nextInt(mutated.length());
            switch (random.nextInt(3)) {
                case 0 -> mutated.deleteCharAt(at);
                case 1 -> mutated.insert(at, PIECES[random.nextInt(PIECES.length)]);
                default -> mutated.setLength(at);
            }
        }
        return mutated.toString();
    }

    private static @Nullable List<Object> referenceList(String text) {
        try {
            List<Object> list = new ArrayList<>();
            for (ListElement<?> member : new Parser(text).parseList().get()) {
                list.add(reference(member));
            }
            return list;
        } catch (ParseException e) {
            return null;
        }
    }

    private static @Nullable Map<String, Object> referenceDictionary(String text) {
        try {
            Map<String, Object> members = new LinkedHashMap<>();
            new Parser(text).parseDictionary().get().forEach((key, member) -> members.put(key, reference(member)));
            return members;
        } catch (ParseException e) {
            return null;
        }
    }

    private static Object reference(ListElement<?> member) {
        Map<String, Object> parameters = new LinkedHashMap<>();
        member.getParams().forEach((key, item) -> parameters.put(key, bare(item)));
        return member instanceof Item<?> item ? List.of(bare(item), parameters) : parameters;
    }

    private static Object bare(Item<?> item) {
        if (item instanceof TokenItem token) {
            return token.get();
        }
        if (item instanceof ByteSequenceItem sequence) {
            ByteBuffer buffer = sequence.get();
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            return new BareItemReader.Bytes(Base64.getEncoder().encodeToString(bytes));
        }
        return item.get() instanceof BigDecimal decimal ? decimal.doubleValue() : item.get();
    }

    private static @Nullable List<Object> ours(@Nullable List<StructuredItem> members) {
        if (members == null) {
            return null;
        }
        List<Object> list = new ArrayList<>();
        members.forEach(member -> list.add(ours(member)));
        return list;
    }

    private static @Nullable Map<String, Object> ours(@Nullable Map<String, StructuredItem> members) {
        if (members == null) {
            return null;
        }
        Map<String, Object> map = new LinkedHashMap<>();
        members.forEach((key, member) -> map.put(key, ours(member)));
        return map;
    }

    private static Object ours(StructuredItem member) {
        return List.of(member.value(), member.parameters());
    }
}
