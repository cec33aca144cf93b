package dev.throttle.reality.external;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What {@code answers.txt} says of one product.
 *
 * @param grants how many requests are granted at once
 * @param first the first answer
 * @param last the last answer that is granted
 * @param refused the answers after it
 */
record ExpectedAnswers(int grants, String first, String last, List<String> refused) {

    /** {@return those of all products by name} */
    static Map<String, ExpectedAnswers> all() {
        Map<String, ExpectedAnswers> all = new LinkedHashMap<>();
        for (String block : text().split("\n\n")) {
            List<String> lines = block.lines().map(String::strip).toList();
            if (lines.get(0).startsWith("#")) {
                continue;
            }
            String[] title = lines.get(0).split(" grants ");
            List<String> refused = new ArrayList<>();
            String first = "";
            String last = "";
            for (String line : lines.subList(1, lines.size())) {
                String[] words = line.split(" +", 2);
                switch (words[0]) {
                    case "first" -> first = words[1];
                    case "last" -> last = words[1];
                    case "refused" -> refused.add(words[1]);
                    default -> throw new IllegalStateException(line);
                }
            }
            all.put(title[0], new ExpectedAnswers(Integer.parseInt(title[1]), first, last, refused));
        }
        return all;
    }

    private static String text() {
        try (InputStream in = Objects.requireNonNull(ExpectedAnswers.class.getResourceAsStream("answers.txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
