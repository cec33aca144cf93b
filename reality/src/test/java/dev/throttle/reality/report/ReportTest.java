package dev.throttle.reality.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.reality.Cell;
import dev.throttle.reality.Product;
import dev.throttle.reality.Products;
import dev.throttle.reality.Result;
import dev.throttle.reality.Result.Figure;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {

    private static final List<Product> CATALOGUE = Products.all();

    private static Result result(String product, Cell cell, String client, Object... figures) {
        Map<Figure, Double> all = new EnumMap<>(Figure.class);
        all.put(Figure.FAILED, 0.0);
        all.put(Figure.UNFINISHED, 0.0);
        for (int i = 0; i < figures.length; i += 2) {
            all.put((Figure) figures[i], ((Number) figures[i + 1]).doubleValue());
        }
        return new Result(product, "1.2", cell.text(), client, "2026-01-02", "2 cores, load 0.5", all, "");
    }

    private static Result job(String product, String client, int refused, double seconds, int failed) {
        return result(
                product,
                Cell.JOB_8,
                client,
                Figure.REQUESTS,
                1000,
                Figure.REFUSED,
                refused,
                Figure.SECONDS,
                seconds,
                Figure.IDEAL_SECONDS,
                100,
                Figure.FAILED,
                failed);
    }

    private static String row(String product, Result... results) {
        return Report.markdown(CATALOGUE, List.of(results))
                .lines()
                .filter(line -> line.startsWith("| ") && line.contains("`" + product + "`"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aRowIsMetIfBothClientsMeetIt() {
        assertThat(row("erl-d8", job("erl-d8", "okhttp", 3, 112, 0), job("erl-d8", "jdk", 0, 100, 0)))
                .isEqualTo("| 8 callers | `erl-d8` | 0.3 / 1.12 / 0 | 0 / 1.00 / 0 |"
                        + " 0 lost, refused ≤ 0.3 %, × ≤ 1.12 | met |");
    }

    @Test
    void aRowSaysWhatIsMissedAndByWhom() {
        assertThat(row("erl-d8", job("erl-d8", "okhttp", 4, 100, 0), job("erl-d8", "jdk", 0, 113, 2)))
                .endsWith("| **missed**: refused 0.4 % (OkHttp), 2 lost (JDK), × 1.13 (JDK) |");
    }

    @Test
    void peersAreShownButNotJudged() {
        assertThat(row("erl-d8", job("erl-d8", "backoff", 300, 300, 9)))
                .contains("| 30 / 3.00 / 9 |")
                .endsWith("|  |");
    }

    @Test
    void runsOfOneCellAreAveraged() {
        assertThat(row("erl-d8", job("erl-d8", "jdk", 0, 100, 0), job("erl-d8", "jdk", 4, 110, 0)))
                .contains("| 0.2 / 1.05 / 0 |");
    }

    @Test
    void theMeanOfToldWindowsHasABarOfItsOwn() {
        String page =
                Report.markdown(CATALOGUE, List.of(job("erl-d8", "jdk", 0, 110, 0), job("erl-d7", "jdk", 0, 104, 0)));
        assertThat(page).contains("| 8 callers | mean | 0 / 1.07 | × ≤ 1.05 | **missed**: × 1.07 (JDK) |");
    }

    @Test
    void waitingForWhatAServerToldIsNotCounted() {
        Result restart = result(
                "erl-d8",
                Cell.RESTART,
                "jdk",
                Figure.FIRST_SUCCESS_SECONDS,
                7,
                Figure.TOLD_WAIT_SECONDS,
                5.5,
                Figure.REST_SLOWDOWN,
                1.01,
                Figure.IN_VAIN,
                9,
                Figure.IN_FLIGHT,
                1);
        assertThat(row("erl-d8", restart)).contains("| 0 / 7 / 1.01 / 9 of 1 |").endsWith("| met |");
    }

    @Test
    void anOutageThatLosesCallsIsMissedWithoutTheFiguresThatItLacks() {
        Result outage = result("gateway", Cell.OUTAGE, "jdk", Figure.FAILED, 3, Figure.IN_VAIN, 3, Figure.IN_FLIGHT, 3);
        assertThat(row("gateway", outage)).contains("| 3 / – / – / 3 of 3 |").endsWith("| **missed**: 3 lost (JDK) |");
    }

    @Test
    void processesAreJudgedByTheirShares() {
        Result shared = result(
                "erl-d8",
                Cell.PROCESSES_2,
                "jdk",
                Figure.JAIN,
                0.9,
                Figure.REQUESTS,
                100,
                Figure.REFUSED,
                3,
                Figure.USED_PERCENT,
                99);
        assertThat(row("erl-d8", shared))
                .contains("| 0.900 / 3 / 99 |")
                .endsWith("| **missed**: 1 - Jain 0.1 (JDK), refused 3 % (JDK) |");
    }

    @Test
    void theServersAndTheirVersionsAreNamed() {
        String page = Report.markdown(CATALOGUE, List.of(job("erl-d8", "jdk", 0, 100, 0)));
        assertThat(page).contains("| `erl-d8` |").contains("| 1.2 |").contains("Not measured: `gateway`,");
    }

    @Test
    void aResultIsTheSameAfterItsLineIsRead() throws IOException {
        Result result = job("erl-d8", "jdk", 1, 100, 0);
        assertThat(Result.fromJson(result.toJson())).isEqualTo(result);
    }
}
