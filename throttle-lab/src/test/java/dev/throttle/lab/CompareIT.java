package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.throttle.lab.own.PatientStrategy;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompareIT {

    private static final String[] KEYS = {
        "strategy",
        "requests",
        "accepted",
        "retryRate",
        "maxSleepSeconds",
        "requestCountStdev",
        "jain",
        "utilisation",
        "elapsedSeconds",
        "p50WaitSeconds",
        "p99WaitSeconds",
        "settleSeconds",
        "refused",
        "failed",
        "jobSeconds",
        "idealSeconds",
        "slowdown",
        "costUtilisation",
        "costJain",
        "joinRefusals",
        "storeCommandsPerSecond",
        "jobSecondsByProcess"
    };

    private static List<Map<String, Object>> json(Jar.Result result) {
        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
        try {
            return JSON.std.listFrom(result.out()).stream()
                    .map(CompareIT::typed)
                    .toList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> typed(Object map) {
        return (Map<String, Object>) map;
    }

    private static double number(Map<String, Object> object, String key) {
        return ((Number) object.get(key)).doubleValue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gcra", "token-bucket", "fixed-window", "sliding-window", "decrease-only", "busy", "llm"})
    void everyServerGivesAllFigures(String server) {
        List<Map<String, Object>> results = json(Jar.runWarm(
                "",
                ("compare --strategies none,exponential-backoff --server " + server
                                + " --capacity 60 --window 1m --duration 5m --headers ietf --retry-after on --format json")
                        .split(" ")));

        assertThat(results).hasSize(2);
        assertThat(results.get(1)).containsOnlyKeys(KEYS).contains(entry("strategy", "exponential-backoff"));
        for (Map<String, Object> result : results) {
            assertThat(number(result, "retryRate")).isBetween(0.0, 1.0);
            assertThat(number(result, "utilisation")).isBetween(0.2, 1.0);
            assertThat(number(result, "jain")).isBetween(0.5, 1.0);
            assertThat(result).contains(entry("elapsedSeconds", null), entry("settleSeconds", null));
        }
    }

    @Test
    void theSameArgumentsGiveTheSameBytes() {
        String[] args = ("compare --strategies exponential-increase-proportional-remaining-decrease,responsive-backoff"
                        + " --join 5m:+3 --leave 20m:-2 --runs 3 --seed 42 --format json")
                .split(" ");

        assertThat(Jar.runWarm("", args).out()).isEqualTo(Jar.run("", args).out());
    }

    @Test
    void anotherSeedGivesAnotherResult() {
        String args = "compare --strategies exponential-backoff --format csv --seed ";

        assertThat(Jar.runWarm("", (args + 1).split(" ")).out())
                .isNotEqualTo(Jar.runWarm("", (args + 2).split(" ")).out());
    }

    @Test
    void stopUnderTellsTheTimeToClear() {
        Map<String, Object> result = json(Jar.runWarm(
                        "",
                        ("compare --strategies none --server decrease-only --stop-under 10 --format json").split(" ")))
                .get(0);

        assertThat(number(result, "elapsedSeconds")).isBetween(73.5, 75.0);
        assertThat(number(result, "retryRate")).isZero();
    }

    @Test
    void joinAndLeaveTellTheSettlingTime() {
        Map<String, Object> result = json(Jar.runWarm(
                        "", "compare --strategies none --join 5m:+8 --leave 20m:-8 --format json".split(" ")))
                .get(0);

        assertThat(number(result, "settleSeconds")).isBetween(0.0, 900.0);
    }

    @Test
    void jobsTellHowLongTheyTake() {
        Map<String, Object> result = json(Jar.runWarm(
                        "",
                        ("compare --strategies none --server fixed-window --calls 1000,10:+5m --threads 10"
                                        + " --latency 100ms --format json")
                                .split(" ")))
                .get(0);

        assertThat(number(result, "idealSeconds")).isEqualTo(300.1);
        assertThat(number(result, "jobSeconds")).isBetween(300.09, 300.12);
        assertThat(number(result, "slowdown")).isBetween(0.9999, 1.0001);
        assertThat(number(result, "refused")).isZero();
        assertThat(number(result, "failed")).isZero();
        assertThat((List<?>) result.get("jobSecondsByProcess")).hasSize(2);
    }

    @Test
    void aJobThatIsNotDoneHasNoTime() {
        Map<String, Object> result = json(Jar.runWarm(
                        "",
                        "compare --strategies none --calls 1000 --processes 1 --duration 1m --format json".split(" ")))
                .get(0);

        assertThat(result).contains(entry("jobSeconds", null), entry("slowdown", null));
        assertThat(number(result, "idealSeconds")).isCloseTo(800 + 0.0825, within(0.001));
    }

    @Test
    void withoutJobsTheirFiguresAreNull() {
        Map<String, Object> result = json(Jar.runWarm(
                        "", "compare --strategies none --duration 1m --format json".split(" ")))
                .get(0);

        assertThat(result)
                .contains(
                        entry("jobSeconds", null),
                        entry("idealSeconds", null),
                        entry("slowdown", null),
                        entry("jobSecondsByProcess", null));
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "--calls 100,20:+1m --server fixed-window --used 4450 --phase 50m --headers github",
                "--arrivals 30/m --burst 3 --max-wait 1m --headers shopify --retry-after on",
                "--stray 429@10 --stray 503@30s --stray 429@1%:bare --outage 2m:1m --capacity-change 5m:x0.5",
                "--jitter-remaining 5 --reset-skew 90s --headers legacy --weight 2:10 --initial 4500",
                "--server llm --cost 4000:0.8 --estimate 5 --charge held --stream 5s --headers openai --token-window 10s",
                "--server llm --output-capacity 9000 --output-cost 100 --charge end --headers anthropic --settle off",
                "--server llm --token-limit window --cost-change 5:x0.5 --headers shopify-graphql --cost-unit points",
                "--second-limit fixed-window:10/1s:hidden --headers ietf --initial 4500 --beside greedy-until-reset:2x5"
            })
    void everythingIsTheSameEachTime(String arguments) {
        String[] args = ("compare --duration 10m --runs 2 --format json --strategies"
                        + " quota-pacing,aws-adaptive,backoff-retry-after,greedy-until-reset,gradient2 " + arguments)
                .split(" ");
        Jar.Result first = Jar.runWarm("", args);

        assertThat(json(first)).hasSize(5).allSatisfy(result -> {
            assertThat(result).containsOnlyKeys(KEYS);
            assertThat(number(result, "accepted")).isPositive();
        });
        assertThat(Jar.run("", args).out()).isEqualTo(first.out());
    }

    @Test
    void costsTellWhatWasUsedOfThem() {
        List<Map<String, Object>> results = json(Jar.runWarm(
                "",
                ("compare --strategies none,backoff-retry-after --processes 1 --threads 10 --server llm --capacity 6000"
                                + " --window 60s --token-capacity 30000 --token-window 3s --cost 4000:0.8 --calls 60"
                                + " --headers openai --latency 1s --format json")
                        .split(" ")));

        assertThat(results).allSatisfy(result -> {
            assertThat(number(result, "costUtilisation")).isBetween(0.5, 1.0);
            assertThat(number(result, "costJain")).isEqualTo(1);
            assertThat(number(result, "idealSeconds")).isBetween(10.0, 40.0);
            assertThat(number(result, "slowdown")).isGreaterThan(0.99);
        });
    }

    @Test
    void withoutCostsTheirFiguresAreNull() {
        Map<String, Object> result = json(Jar.runWarm(
                        "", "compare --strategies none --duration 1m --format json".split(" ")))
                .get(0);

        assertThat(result).contains(entry("costUtilisation", null), entry("costJain", null));
    }

    @Test
    void aTableShowsJobsWhereThereAreAny() {
        String args = "compare --strategies none --duration 1m --server fixed-window";

        assertThat(Jar.runWarm("", (args + " --calls 5").split(" ")).lines().get(0))
                .endsWith("ideal s  slowdown");
        assertThat(Jar.runWarm("", args.split(" ")).lines().get(0)).endsWith("settle s");
    }

    @Test
    void theTableHasOneLineAStrategy() {
        Jar.Result result = Jar.runWarm("", "compare --strategies none,linear-backoff --duration 1m".split(" "));

        assertThat(result.lines()).hasSize(3);
        assertThat(result.lines().get(0)).startsWith("strategy ").contains("retry %");
        assertThat(result.lines().get(2)).startsWith("linear-backoff ");
    }

    @Test
    void markdownIsATable() {
        Jar.Result result = Jar.runWarm("", "compare --strategies none --duration 1m --format markdown".split(" "));

        assertThat(result.lines()).hasSize(3).allMatch(line -> line.startsWith("| ") && line.endsWith(" |"));
        assertThat(result.lines().get(1)).startsWith("| --- | ---: |");
    }

    @Test
    void csvHasTheNamesOfTheJson() {
        Jar.Result result = Jar.runWarm("", "compare --strategies none --duration 1m --format csv".split(" "));

        assertThat(result.lines().get(0)).isEqualTo(String.join(",", KEYS));
        assertThat(result.lines().get(1)).startsWith("none,");
    }

    @Test
    void theChartIsAPicture(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("new/chart.png");

        Jar.Result result =
                Jar.runWarm("", "compare", "--strategies", "none", "--duration", "1m", "--chart", file.toString());

        assertThat(result.status()).isZero();
        BufferedImage image = ImageIO.read(file.toFile());
        assertThat(image.getWidth()).isGreaterThan(400);
    }

    @Test
    void aChartThatCannotBeWrittenFailsTheRun(@TempDir Path folder) {
        Jar.Result result =
                Jar.runWarm("", "compare", "--strategies", "none", "--duration", "1m", "--chart", folder.toString());

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains(folder.toString()).hasLineCount(1);
    }

    @Test
    void aStrategyOfTheUserTakesPart() throws URISyntaxException {
        Path classes = Path.of(PatientStrategy.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());

        Jar.Result result = Jar.runOnClassPath(
                classes.toString(),
                ("compare --strategies none," + PatientStrategy.class.getName() + " --format json").split(" "));

        List<Map<String, Object>> results = json(result);
        assertThat(results.get(1)).contains(entry("strategy", PatientStrategy.class.getName()));
        assertThat(number(results.get(1), "retryRate")).isLessThan(number(results.get(0), "retryRate"));
    }

    @Test
    void aFleetIsARowBesideEachStrategyThatCanShare() {
        String[] arguments = ("compare --strategies quota-pacing,backoff-retry-after --join 5m:+2 --duration 10m"
                        + " --fleet --store-latency 2ms --store-loss 1% --store-outage 2m:10s --format json")
                .split(" ");
        Jar.Result result = Jar.runWarm("", arguments);
        List<Map<String, Object>> rows = json(result);
        assertThat(rows)
                .extracting(row -> row.get("strategy"))
                .containsExactly("quota-pacing", "quota-pacing+fleet", "backoff-retry-after");
        assertThat(rows.get(0).get("storeCommandsPerSecond")).isNull();
        assertThat(number(rows.get(1), "storeCommandsPerSecond")).isBetween(0.5, 15.0);
        assertThat(rows)
                .allSatisfy(row -> assertThat(number(row, "joinRefusals")).isNotNegative());
        assertThat(Jar.run("", arguments).out()).isEqualTo(result.out());
    }

    @Test
    void optionsOfTheStoreNeedAFleet() {
        Jar.Result result = Jar.runWarm("", "compare", "--strategies", "none", "--store-latency", "5ms");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("--fleet").hasLineCount(1);
    }
}
