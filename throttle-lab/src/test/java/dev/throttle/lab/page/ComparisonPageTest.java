package dev.throttle.lab.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;
import static org.assertj.core.data.Percentage.withPercentage;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.throttle.lab.sim.Comparison;
import dev.throttle.lab.sim.FigureColumn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ComparisonPageTest {

    private static final Pattern DATA =
            Pattern.compile("<script type=\"application/json\" id=\"data\">(.*?)</script>", Pattern.DOTALL);

    @TempDir
    private Path folder;

    private String page(List<Comparison.Result> results) throws IOException {
        Path file = folder.resolve("page.html");
        ComparisonPage.save(results, 1, file);
        return Files.readString(file);
    }

    private static Map<String, Object> data(String page) throws IOException {
        Matcher matcher = DATA.matcher(page);
        assertThat(matcher.find()).isTrue();
        return JSON.std.mapFrom(matcher.group(1));
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> maps(Object list) {
        return (List<Map<String, Object>>) list;
    }

    @Test
    void hasAllStrategiesWithAllTheirFigures() throws IOException {
        List<Comparison.Result> results = SampleResults.of("quota-pacing", "backoff-retry-after");
        List<Map<String, Object>> strategies = maps(data(page(results)).get("strategies"));
        assertThat(strategies).hasSize(2);
        for (int i = 0; i < 2; i++) {
            assertThat(strategies.get(i).get("name")).isEqualTo(results.get(i).strategy());
            Map<?, ?> figures = (Map<?, ?>) strategies.get(i).get("figures");
            for (FigureColumn column : FigureColumn.values()) {
                Double value = column.of(results.get(i).figures());
                assertThat(figures.containsKey(column.key())).as(column.key()).isTrue();
                if (value != null) {
                    assertThat(((Number) figures.get(column.key())).doubleValue())
                            .isCloseTo(value, withPercentage(1e-6));
                }
            }
        }
    }

    @Test
    void curvesAddUpToTheFigures() throws IOException {
        List<Comparison.Result> results = SampleResults.of("quota-pacing");
        Map<String, Object> data = data(page(results));
        Map<String, Object> strategy = maps(data.get("strategies")).get(0);
        List<?> x = (List<?>) data.get("x");
        double slice = ((Number) x.get(1)).doubleValue() - ((Number) x.get(0)).doubleValue();
        assertThat(sum(strategy.get("accepted")) * slice)
                .isCloseTo(results.get(0).figures().accepted(), withPercentage(1));
        assertThat(sum(strategy.get("refused")) * slice)
                .isCloseTo(results.get(0).figures().refused(), offset(1.0));
        assertThat((List<?>) strategy.get("processes")).hasSize(3);
        assertThat(maps(data.get("columns")))
                .extracting(column -> column.get("key"))
                .contains("requests", "settleSeconds")
                .doesNotContain("jobSeconds");
    }

    @Test
    void saysWhatEachColumnMeans() throws IOException {
        assertThat(maps(data(page(SampleResults.of("quota-pacing"))).get("columns")))
                .allSatisfy(column -> assertThat((String) column.get("meaning")).hasSizeGreaterThan(20))
                .extracting(column -> column.get("title"))
                .contains("jain", "clear s", "settle s");
    }

    private static double sum(Object list) {
        double sum = 0;
        for (Object value : (List<?>) list) {
            sum += value == null ? 0 : ((Number) value).doubleValue();
        }
        return sum;
    }

    @Test
    void nothingInANameEndsTheScript() throws IOException {
        String hostile = "</script><script>alert(1)</script><!--<script>";
        Comparison.Result result = SampleResults.of("quota-pacing").get(0);
        String page = page(List.of(new Comparison.Result(hostile, result.figures(), result.trace())));
        assertThat(page).doesNotContain("alert(1)</script>").doesNotContain("<script>alert");
        assertThat(maps(data(page).get("strategies")).get(0).get("name")).isEqualTo(hostile);
    }

    @Test
    void needsNothingFromOutsideAndKeepsTheLicence() throws IOException {
        String page = page(SampleResults.of("quota-pacing"));
        assertThat(page)
                .doesNotContain("src=")
                .doesNotContain("@import")
                .doesNotContain("url(")
                .doesNotContain("{{")
                .contains("default-src 'none'")
                .contains("prefers-color-scheme: dark")
                .contains("Permission is hereby granted, free of charge");
        assertThat(Pattern.compile("href=\"(?!data:,\")").matcher(page).find()).isFalse();
    }
}
