package dev.throttle.lab;

import dev.throttle.lab.BusyRpsSimulation.Pattern;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The RPS controller against busy responses, as the published design note tabulates it. */
@Command(
        name = "busy",
        mixinStandardHelpOptions = true,
        description = "The RPS controller against busy responses: busy until time 10, then recovery.")
@SuppressWarnings("NullAway.Init") // set by picocli
final class BusyCommand implements Callable<Integer> {

    private static final double PUBLISHED_RATE = 3;
    private static final double PUBLISHED_VALUE = 200;

    @Spec
    private CommandSpec command;

    @Option(
            names = "--pattern",
            required = true,
            paramLabel = "PATTERN",
            description = "steady, flappy, linear_grow or linear_decrease")
    private Pattern pattern;

    @Option(
            names = "--recover-rate",
            paramLabel = "R",
            description =
                    "Adds R times the limit each second; without this and --recover-value both variants are shown,"
                            + " rate 3 then value 200")
    private @Nullable Double recoverRate;

    @Option(names = "--recover-value", paramLabel = "V", description = "Adds V to the limit each second")
    private @Nullable Double recoverValue;

    @Option(
            names = "--start-rps",
            paramLabel = "N",
            description = "Requests per second at time 0; default: the pattern's")
    private @Nullable Long startRps;

    @Option(
            names = "--start-busy",
            paramLabel = "N",
            description = "Busy responses per second at time 0; default: the pattern's")
    private @Nullable Long startBusy;

    @Option(
            names = "--duration",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "The second in which the busy responses end; default: ${DEFAULT-VALUE}")
    private int duration;

    @Override
    public Integer call() throws IOException {
        List<String> lines = new ArrayList<>();
        try {
            for (BusyLaw law : models()) {
                lines.addAll(new BusyRpsSimulation(
                                law,
                                pattern,
                                startRps == null ? pattern.startRps() : startRps,
                                startBusy == null ? pattern.startBusy() : startBusy,
                                duration)
                        .table());
            }
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
        }
        try (Writer out = Output.open()) {
            for (String line : lines) {
                out.write(line + "\n");
            }
        }
        return 0;
    }

    private List<BusyLaw> models() {
        if (recoverRate != null && recoverValue != null) {
            throw new IllegalArgumentException("--recover-value and --recover-rate cannot be used together");
        }
        if (recoverRate != null) {
            return List.of(BusyLaw.recoverRate(recoverRate));
        }
        if (recoverValue != null) {
            return List.of(BusyLaw.recoverValue(recoverValue));
        }
        return List.of(BusyLaw.recoverRate(PUBLISHED_RATE), BusyLaw.recoverValue(PUBLISHED_VALUE));
    }
}
