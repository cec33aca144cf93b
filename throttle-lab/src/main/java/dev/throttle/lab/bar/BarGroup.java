package dev.throttle.lab.bar;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Scenarios that are judged together.
 *
 * @param name a short name
 * @param title what they are
 * @param criteria what they are held to
 * @param scenarios arguments of {@code compare}
 */
public record BarGroup(String name, String title, List<Criterion> criteria, List<String> scenarios) {

    private static final Pattern HEAD = Pattern.compile("\\[([a-z0-9-]+)] (.+)");

    /** {@return all groups, in the order of the table} */
    public static List<BarGroup> all() throws IOException {
        try (InputStream in = Objects.requireNonNull(BarGroup.class.getResourceAsStream("scenarios.txt"));
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            return of(lines.lines().toList());
        }
    }

    /**
     * {@return the group with those scenarios alone whose arguments contain a text}
     *
     * @param text the text
     */
    public BarGroup filtered(String text) {
        List<String> some =
                scenarios.stream().filter(scenario -> scenario.contains(text)).toList();
        return new BarGroup(name, title, criteria, some);
    }

    /**
     * {@return the group with the first one of each so many scenarios}
     *
     * @param step how many
     */
    public BarGroup thinned(int step) {
        List<String> some = new ArrayList<>();
        for (int i = 0; i < scenarios.size(); i += step) {
            some.add(scenarios.get(i));
        }
        return new BarGroup(name, title, criteria, some);
    }

    static List<BarGroup> of(List<String> lines) {
        List<BarGroup> groups = new ArrayList<>();
        for (String line : lines) {
            Matcher head = HEAD.matcher(line);
            if (head.matches()) {
                groups.add(new BarGroup(head.group(1), head.group(2), new ArrayList<>(), new ArrayList<>()));
            } else if (line.startsWith("--")) {
                groups.get(groups.size() - 1).scenarios.addAll(expanded(line));
            } else if (!line.isBlank() && !line.startsWith("#")) {
                groups.get(groups.size() - 1).criteria.add(Criterion.of(line));
            }
        }
        return groups;
    }

    /** {@return a line for each way to choose} A choice may hold further ones. */
    static List<String> expanded(String line) {
        int open = line.indexOf('{');
        if (open < 0) {
            return List.of(line);
        }
        List<String> lines = new ArrayList<>();
        int depth = 0;
        int from = open + 1;
        List<String> choices = new ArrayList<>();
        int at = open;
        do {
            char symbol = line.charAt(at);
            if (symbol == '{') {
                depth++;
            } else if (symbol == '}') {
                depth--;
            }
            if ((symbol == '|' && depth == 1) || depth == 0) {
                choices.add(line.substring(from, at));
                from = at + 1;
            }
            at++;
        } while (depth > 0);
        for (String choice : choices) {
            lines.addAll(expanded(line.substring(0, open) + choice + line.substring(at)));
        }
        return lines;
    }
}
