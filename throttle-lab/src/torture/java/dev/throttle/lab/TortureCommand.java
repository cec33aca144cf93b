package dev.throttle.lab;

import dev.throttle.lab.torture.Torture;
import dev.throttle.lab.torture.TortureResult;
import java.io.Writer;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Random calls with every kind of ending, through the adapters, against a hostile server. */
@Command(
        name = "torture",
        mixinStandardHelpOptions = true,
        description = "Random calls with every kind of answer and every kind of ending, through the adapters, against"
                + " hostile servers on loopback. Fails if anything is left behind.")
@SuppressWarnings("NullAway.Init") // set by picocli
final class TortureCommand implements Callable<Integer> {

    private static final double MOST_MINUTES = 10_000;
    private static final double SECONDS_OF_A_MINUTE = 60;

    /** Which adapters are used. */
    enum Which {
        okhttp,
        jdk,
        both
    }

    @Spec
    private CommandSpec command;

    @Option(
            names = "--minutes",
            paramLabel = "N",
            defaultValue = "1",
            description = "How long calls are made; may be a fraction; default: ${DEFAULT-VALUE}")
    private double minutes;

    @Option(
            names = "--calls",
            paramLabel = "N",
            description = "How many calls are made at most; default: as many as there is time for")
    private @Nullable Long calls;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "What each call does, and what is done to it, comes from this; default: ${DEFAULT-VALUE}")
    private long seed;

    @Option(
            names = "--client",
            paramLabel = "NAME",
            defaultValue = "both",
            description = "okhttp, jdk or both; default: ${DEFAULT-VALUE}")
    private Which client;

    @Option(
            names = "--bare",
            description = "The same calls through the clients without a throttle, to see what they do by themselves")
    private boolean isBare;

    @Override
    public Integer call() throws Exception {
        if (!(minutes > 0 && minutes <= MOST_MINUTES)) {
            throw new ParameterException(
                    command.commandLine(),
                    "--minutes must be above 0 and at most 10000, but was " + Numbers.significant(minutes));
        }
        if (calls != null && calls < 1) {
            throw new ParameterException(command.commandLine(), "--calls must be at least 1, but was " + calls);
        }
        Duration duration = Duration.ofMillis(Math.round(minutes * SECONDS_OF_A_MINUTE * 1000));
        Boolean okHttpOnly = client == Which.both ? null : Boolean.valueOf(client == Which.okhttp);
        TortureResult result =
                new Torture(seed, okHttpOnly, isBare).run(duration, calls == null ? Long.MAX_VALUE : calls, made -> {});
        result.wrong().forEach(System.err::println);
        try (Writer out = Output.open()) {
            out.write("answered " + result.answered() + ", turned away by a throttle " + result.rejected()
                    + ", connections that OkHttp lost by itself " + result.lostByOkHttp()
                    + ", bodies that the JDK's client lost by itself " + result.lostByJdk()
                    + ", clients that the JDK lost by itself " + result.clientsLostByJdk()
                    + ", live heap after each round in kB "
                    + result.heapBytes().stream().map(bytes -> bytes / 1024).toList() + "\n");
            out.write(result.summary() + "\n");
        }
        return result.isClean() ? 0 : Main.FAILED;
    }
}
