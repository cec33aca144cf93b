package dev.throttle.reality.report;

import dev.throttle.reality.Result;
import dev.throttle.reality.Result.Figure;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Several runs of one cell as one: the mean of each figure, so that percentages are those of all requests. */
final class Means {

    private Means() {}

    /** {@return one result of at least one} */
    static Result of(List<Result> runs) {
        Result first = runs.get(0);
        Map<Figure, Double> figures = new EnumMap<>(Figure.class);
        for (Figure figure : Figure.values()) {
            runs.stream()
                    .mapToDouble(run -> run.get(figure))
                    .filter(value -> !Double.isNaN(value))
                    .average()
                    .ifPresent(mean -> figures.put(figure, mean));
        }
        String failure = runs.stream()
                .map(Result::failure)
                .filter(text -> !text.isEmpty())
                .findFirst()
                .orElse("");
        return new Result(
                first.product(),
                first.version(),
                first.cell(),
                first.client(),
                first.date(),
                first.machine(),
                figures,
                failure);
    }
}
