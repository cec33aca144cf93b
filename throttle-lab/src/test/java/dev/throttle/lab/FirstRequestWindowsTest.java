package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.lab.bar.BarGroup;
import dev.throttle.lab.bar.BarReport;
import dev.throttle.lab.bar.BarResult;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows that begin with the first request after the end of the last one, and tell when they end. */
@Tag("slow")
class FirstRequestWindowsTest {

    private static List<BarResult> run(String group, String filter) throws Exception {
        List<BarGroup> groups = BarRun.chosen(List.of(group), filter);
        List<BarResult> all = new ArrayList<>();
        new BarRun(List.of(BarReport.OURS), 2, 3, Runtime.getRuntime().availableProcessors())
                .run(groups, new Progress(0), (each, results) -> results.forEach(all::addAll));
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = {"windows-10s", "windows-10s-64", "windows-1s", "windows-1s-open", "lock-outs"})
    void nobodyIsRefused(String group) throws Exception {
        for (String headers : List.of("legacy", "ietf", "github")) {
            if (headers.equals("github") && group.equals("lock-outs")) {
                continue; // it has none of these
            }
            List<BarResult> results = run(group, "--headers " + headers);
            assertThat(results).isNotEmpty();
            assertThat(results)
                    .filteredOn(result -> result.scenario().contains("--window-start first-request"))
                    .filteredOn(result -> !result.scenario().contains("--latency 165ms")
                            || !result.scenario().contains("--window 1s"))
                    .isNotEmpty()
                    .allSatisfy(result -> assertThat(refused(result, group)).isZero());
        }
    }

    private static double refused(BarResult result, String group) throws Exception {
        var criteria = BarRun.chosen(List.of(group), "").get(0).criteria();
        for (int i = 0; i < criteria.size(); i++) {
            Double mean = result.means().get(i);
            if (criteria.get(i).figure().text().contains("refused") && mean != null) {
                return mean;
            }
        }
        throw new AssertionError("no figure of refusals in " + group);
    }
}
