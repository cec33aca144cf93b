package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.lab.bar.BarFigure;
import dev.throttle.lab.bar.BarGroup;
import dev.throttle.lab.bar.BarReport;
import dev.throttle.lab.bar.BarResult;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Servers that nobody made a model of. */
class UnmodelledServersTest {

    /** Real ways are up to a tenth shorter than the mean one. */
    private static final double LUCK = 0.97;

    @Test
    void nobodyIsFasterThanTheIdeal() throws Exception {
        List<BarGroup> groups = BarRun.chosen(List.of("unmodelled"), "");
        assertThat(groups.get(0).criteria().get(0).figure()).isEqualTo(BarFigure.SLOWDOWN);
        List<BarResult> results = new ArrayList<>();
        new BarRun(List.of(BarReport.OURS), 1, 1, Runtime.getRuntime().availableProcessors())
                .run(groups, new Progress(0), (group, each) -> each.forEach(results::addAll));

        assertThat(results)
                .hasSameSizeAs(groups.get(0).scenarios())
                .allSatisfy(result -> assertThat(result.means().get(0))
                        .as(result.scenario())
                        .isNotNull()
                        .isGreaterThan(LUCK));
    }
}
