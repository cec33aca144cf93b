package dev.throttle.lab.bar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class BarGroupTest {

    @Test
    void choicesAreMultipliedOut() {
        assertThat(BarGroup.expanded("--a {1|2} --b {x {3|4}|y}"))
                .containsExactly(
                        "--a 1 --b x 3",
                        "--a 1 --b x 4",
                        "--a 1 --b y",
                        "--a 2 --b x 3",
                        "--a 2 --b x 4",
                        "--a 2 --b y");
        assertThat(BarGroup.expanded("--plain")).containsExactly("--plain");
    }

    @Test
    void everyGroupHasFiguresAndScenariosOfItsOwn() throws IOException {
        List<BarGroup> groups = BarGroup.all();

        assertThat(groups).extracting(BarGroup::name).doesNotHaveDuplicates().contains("jobs-window", "joins");
        assertThat(groups).allSatisfy(group -> {
            assertThat(group.criteria()).isNotEmpty();
            assertThat(group.scenarios()).isNotEmpty();
            assertThat(new HashSet<>(group.scenarios())).hasSameSizeAs(group.scenarios());
        });
    }

    private static List<String> scenarios(String name) throws IOException {
        return BarGroup.all().stream()
                .filter(group -> group.name().equals(name))
                .flatMap(group -> group.scenarios().stream())
                .toList();
    }

    @Test
    void theSmallCallerIsToldNothingOrWhatRemains() throws IOException {
        assertThat(scenarios("interactive-untold"))
                .hasSizeBetween(10, 16)
                .allSatisfy(scenario -> assertThat(scenario)
                        .contains("--beside SELF:1x10")
                        .containsAnyOf("--headers none", "--headers remaining")
                        .doesNotContain("--retry-after"));
    }

    @Test
    void theBatchFindsEachSmallBucketFull() throws IOException {
        assertThat(scenarios("small-buckets"))
                .allSatisfy(scenario -> assertThat(scenario)
                        .contains("--beside SELF:1x10")
                        .containsAnyOf(
                                "gcra --initial 5 --capacity 5", "gcra --initial 10 --capacity 10", "second-bucket"))
                .anySatisfy(scenario -> assertThat(scenario).contains("--headers remaining"))
                .anySatisfy(scenario -> assertThat(scenario).contains("--headers ietf"));
    }

    @Test
    void aLoneProgramMeetsEachServerWithoutAModel() throws IOException {
        assertThat(scenarios("unmodelled"))
                .allSatisfy(scenario -> assertThat(scenario).contains("--processes 1", "--calls "))
                .anySatisfy(scenario -> assertThat(scenario).contains("nginx-limit-req", "--delay on"))
                .anySatisfy(scenario -> assertThat(scenario).contains("--capacity-change"))
                .anySatisfy(scenario -> assertThat(scenario).contains(":hidden", "--headers none"))
                .anySatisfy(scenario -> assertThat(scenario).contains("per-connection", "--threads 8"));
    }

    @Test
    void requestsAreRefusedAtRandomWithAndWithoutAQuotaThatIsTold() throws IOException {
        assertThat(scenarios("random-refusals"))
                .allSatisfy(scenario -> assertThat(scenario).contains("--stray 503@", ":bare", "--calls "))
                .anySatisfy(scenario -> assertThat(scenario).contains("--headers none", "--threads 8"))
                .anySatisfy(scenario -> assertThat(scenario).contains("--headers ietf", "--threads 8"));
    }

    @Test
    void smallQuotasAreToldWithAndWithoutTheirSize() throws IOException {
        assertThat(scenarios("stray-small"))
                .allSatisfy(scenario -> assertThat(scenario).contains("--stray ", ":bare"))
                .anySatisfy(scenario -> assertThat(scenario).contains("--capacity 10 ", "--headers legacy", "503@"))
                .anySatisfy(scenario -> assertThat(scenario).contains("--capacity 10 ", "--headers remaining", "429@"));
    }

    @Test
    void smallLimitsThatAreNotToldRefuseWithAnotherStatusThanChance() throws IOException {
        assertThat(scenarios("stray-silent"))
                .allSatisfy(scenario -> assertThat(scenario).contains("--headers none", "--stray 503@", ":bare"))
                .anySatisfy(scenario -> assertThat(scenario).contains("gcra", "--threads 1"))
                .anySatisfy(scenario -> assertThat(scenario).contains("sliding-window", "--threads 4"));
    }

    @Test
    void windowsOfWhichNothingIsToldHaveUsualLengthsAndOthers() throws IOException {
        assertThat(scenarios("silent-windows"))
                .allSatisfy(scenario -> assertThat(scenario).contains("--headers none", "fixed-window"))
                .anySatisfy(scenario -> assertThat(scenario).contains("--window 10s", "--window-start grid"))
                .anySatisfy(scenario -> assertThat(scenario).contains("--window 7s", "first-request", "--threads 64"));
    }

    @Test
    void behindTwoLimitersOnlyRefusalsTellOfTheFirst() throws IOException {
        assertThat(scenarios("stacked-limits"))
                .allSatisfy(scenario -> assertThat(scenario).contains("--headers legacy", ":refusals"))
                .anySatisfy(scenario -> assertThat(scenario).contains("fixed-window:50/1s", "--threads 1"))
                .anySatisfy(scenario -> assertThat(scenario).contains("sliding-window:10/1s", "--threads 64"));
    }

    @Test
    void aLoneProgramMeetsSlidingWindowsOfASecondThatAreFullOrEmpty() throws IOException {
        assertThat(scenarios("sliding-1s"))
                .allSatisfy(scenario -> assertThat(scenario).contains("--processes 1", "sliding-window", "--window 1s"))
                .anySatisfy(scenario -> assertThat(scenario).contains("--capacity 20 --initial 20", "legacy"))
                .anySatisfy(scenario -> assertThat(scenario).contains("--capacity 50 --window", "ietf"));
    }

    @Test
    void aGroupIsReadLineByLine() {
        BarGroup group = BarGroup.of(List.of(
                        "# a comment",
                        "[some-name] A title",
                        "p99 mean <= 0.2 worst <= 2",
                        "jain worst >= 0.9",
                        "--x {1|2}"))
                .get(0);

        assertThat(group.title()).isEqualTo("A title");
        assertThat(group.criteria())
                .containsExactly(
                        new Criterion(BarFigure.P99, false, 0.2, 2.0), new Criterion(BarFigure.JAIN, true, null, 0.9));
        assertThat(group.filtered("2").scenarios()).containsExactly("--x 2");
    }

    @Test
    void aBarInTheWrongDirectionIsAMistake() {
        assertThatThrownBy(() -> Criterion.of("jain mean <= 0.9")).hasMessageContaining(">=");
        assertThatThrownBy(() -> Criterion.of("p99 worst >= 0.9")).hasMessageContaining("<=");
        assertThatThrownBy(() -> Criterion.of("speed")).hasMessageContaining("speed");
        assertThatThrownBy(() -> Criterion.of("p99 <= 3")).hasMessageContaining("p99 mean");
    }

    @Test
    void theReportShowsMeanAndWorstAndWhatIsMissed() throws IOException {
        BarGroup group = BarGroup.of(List.of(
                        "[g] Title", "p99 mean <= 2 worst <= 2", "jain worst >= 0.5", "settle mean <= 1", "--x {1|2}"))
                .get(0);
        BarResult one = new BarResult("--x 1", Arrays.asList(1.0, 0.4, null));
        BarResult two = new BarResult("--x 2", Arrays.asList(2.5, 0.8, null));
        Writer out = new StringWriter();

        new BarReport(group, List.of("s"), List.of(List.of(one, two)), 1).write(out);

        assertThat(out.toString()).isEqualTo("""
                ## g: Title (2 scenarios)

                | figure | bar | s |
                |---|---|--:|
                | p99 | ≤ 2 / ≤ 2 | 1.75 / 2.5 ✗ |
                | jain |  / ≥ 0.5 | 0.6 / 0.4 ✗ |
                | settle | ≤ 1 | - |

                s p99 2.5: --x 2

                s jain 0.4: --x 1


                """);
    }
}
