package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.lab.bar.BarGroup;
import dev.throttle.lab.bar.BarReport;
import dev.throttle.lab.estimator.EstimatorPacing;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The candidate for the default strategy meets all bars of the groups in which it is as good as the default. */
class EstimatorPacingBarTest {

    private static final String CANDIDATE = EstimatorPacing.class.getName();

    @Test
    void itMeetsTheBarsWithWindowsAndWithCosts() throws Exception {
        List<BarGroup> groups =
                BarRun.chosen(List.of("two-jobs", "clear", "windows-10s", "windows-2", "llm-vendors"), "");
        List<String> cells = new ArrayList<>();

        new BarRun(List.of(CANDIDATE), 1, 1, Runtime.getRuntime().availableProcessors())
                .run(groups, new Progress(0), (group, results) -> {
                    List<String> own = new BarReport(group, List.of(CANDIDATE), results, 0).cells(0);
                    for (int i = 0; i < own.size(); i++) {
                        String figure = group.criteria().get(i).figure().text();
                        if (!figure.equals("jain")) { // shares of first-hit windows: it misses them as the default does
                            cells.add(group.name() + " " + figure + ": " + own.get(i));
                        }
                    }
                });

        assertThat(cells).hasSize(9).noneMatch(cell -> cell.contains("✗"));
    }
}
