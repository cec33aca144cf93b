package dev.throttle.lab;

import dev.throttle.control.Strategies;
import dev.throttle.lab.chart.ReplayChart;
import java.io.IOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What a strategy would have done with recorded traffic. */
@Command(
        name = "replay",
        mixinStandardHelpOptions = true,
        description =
                "What would a strategy have done with this traffic? Reads responses as JSON Lines from stdin, such"
                        + " as {\"status\":429,\"headers\":{\"RateLimit-Remaining\":\"0\"}}, in the order one sequential caller"
                        + " received them; writes the sleeps as JSON Lines.")
@SuppressWarnings("NullAway.Init") // set by picocli
final class ReplayCommand implements Callable<Integer> {

    private static final String MAX_SLEEP = "maxSleep";

    /** A hundred years, which virtual time has room for. */
    private static final BigDecimal LATEST =
            BigDecimal.valueOf(Duration.ofDays(36500).toSeconds());

    @Spec
    private CommandSpec command;

    @Option(
            names = "--strategy",
            required = true,
            paramLabel = "NAME",
            description = "Name of a strategy, or a class on the class path")
    private String strategy;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "A setting of the strategy, as in its builder; may be repeated")
    private List<String> settings = new ArrayList<>();

    @Option(
            names = "--jitter",
            paramLabel = "on|off",
            defaultValue = "off",
            description = "Whether sleeps are varied at random; default: ${DEFAULT-VALUE}")
    private OnOff jitter;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}")
    private long seed;

    @Option(
            names = "--chart",
            paramLabel = "FILE.png",
            description = "Draws the sleep before each request, accepted ones blue, refused ones red")
    private @Nullable Path chart;

    @Override
    public Integer call() throws IOException {
        Replay replay = new Replay(contestant().strategy(), jitter.isOn(), seed);
        ReplayChart drawing = new ReplayChart();
        JsonLines lines = new JsonLines(System.in);
        try (Writer out = Output.open()) {
            Map<String, Object> line = lines.next();
            while (line != null) {
                Replay.Step step = step(replay, line, lines);
                out.write("{\"beforeSeconds\":"
                        + Numbers.significant(step.beforeSeconds())
                        + ",\"sleepSeconds\":"
                        + Numbers.significant(step.sleepSeconds()) + ",\"refused\":"
                        + step.refused() + "}\n");
                drawing.add(step.beforeSeconds(), step.refused());
                if (!lines.isReady()) {
                    out.flush();
                }
                line = lines.next();
            }
        }
        if (chart != null) {
            drawing.save(strategy, chart);
        }
        return 0;
    }

    private Contestant contestant() {
        String option = "--strategy";
        try {
            Contestant.check(strategy);
            option = "--set";
            Map<String, String> set = settings();
            if (Strategies.names().contains(strategy)
                    && Strategies.builder(strategy).keys().contains(MAX_SLEEP)) {
                set.putIfAbsent(MAX_SLEEP, "forever"); // the originals know no bound
            }
            return Contestant.configured(strategy, set, jitter.isOn());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), option + ": " + e.getMessage(), e);
        }
    }

    private Map<String, String> settings() {
        Map<String, String> map = new LinkedHashMap<>();
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            if (equals <= 0) {
                throw new IllegalArgumentException("'" + setting + "': it takes KEY=VALUE, such as multiplier=1.2");
            }
            map.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        return map;
    }

    private static Replay.Step step(Replay replay, Map<String, Object> line, JsonLines lines) throws IOException {
        try {
            return replay.next(RecordedResponse.of(line), at(line.get("at")));
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw lines.wrong(String.valueOf(e.getMessage()));
        }
    }

    static @Nullable Duration at(@Nullable Object value) {
        if (value == null) {
            return null;
        }
        if (value instanceof Number) {
            BigDecimal seconds = new BigDecimal(value.toString());
            if (seconds.signum() >= 0 && seconds.compareTo(LATEST) <= 0) {
                return Duration.ofNanos(seconds.movePointRight(9).longValue());
            }
        }
        throw new IllegalArgumentException("at is " + value + ": it takes seconds since the start");
    }
}
