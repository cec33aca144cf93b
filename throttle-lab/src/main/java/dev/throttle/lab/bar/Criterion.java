package dev.throttle.lab.bar;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A figure and what it is held to.
 *
 * @param figure the figure
 * @param atLeast whether more is better
 * @param mean the bar on the mean over the scenarios of a group; null for none
 * @param worst the bar on the worst scenario of a group; null for none
 */
public record Criterion(
        BarFigure figure,
        boolean atLeast,
        @Nullable Double mean,
        @Nullable Double worst) {

    private static final Pattern FORM =
            Pattern.compile("(\\S+)(?: mean (<=|>=) ([0-9.]+))?(?: worst (<=|>=) ([0-9.]+))?");

    /** {@return a criterion as the table of scenarios writes it} */
    static Criterion of(String line) {
        Matcher matcher = FORM.matcher(line);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(line + ": it takes a figure and its bars, such as p99 mean <= 0.2");
        }
        BarFigure figure = BarFigure.named(matcher.group(1));
        boolean more = switch (figure) {
            case ACCEPTED, JAIN, USED, SHARE, TOKENS, TOKEN_JAIN -> true;
            default -> false;
        };
        String direction = more ? ">=" : "<=";
        for (int group : new int[] {2, 4}) {
            String written = matcher.group(group);
            if (written != null && !written.equals(direction)) {
                throw new IllegalArgumentException(line + ": it takes " + direction);
            }
        }
        return new Criterion(figure, more, number(matcher.group(3)), number(matcher.group(5)));
    }

    private static @Nullable Double number(@Nullable String text) {
        return text == null ? null : Double.valueOf(text);
    }

    /**
     * {@return whether a value meets a bar}
     *
     * @param value the value
     * @param bar the bar; null if there is none
     */
    public boolean isMet(double value, @Nullable Double bar) {
        return bar == null || (atLeast ? value >= bar : value <= bar);
    }

    /** {@return a value of the figure below which differences say nothing, as noise is as large} */
    public double least() {
        return switch (figure) {
            case REFUSED, SPREAD, REFUSALS_EACH, TOLD_REFUSED, FAILED, P99, LONGEST, BACK, IN_VAIN -> 1;
            default -> 0.1;
        };
    }

    double worse(double one, double other) {
        return atLeast ? Math.min(one, other) : Math.max(one, other);
    }
}
