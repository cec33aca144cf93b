package dev.throttle.lab;

import dev.throttle.internal.DurationText;
import dev.throttle.internal.Preconditions;
import dev.throttle.lab.watch.WatchServer;
import java.io.Writer;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A page that shows the throttles of a running application. */
@Command(
        name = "watch",
        mixinStandardHelpOptions = true,
        description = "A page on loopback that shows the throttles of a running application, from its metrics.")
@SuppressWarnings("NullAway.Init") // set by picocli
final class WatchCommand implements Callable<Integer> {

    private static final int HIGHEST_PORT = 65_535;
    private static final long MINUTE_MILLIS = 60_000;
    private static final int MOST_MINUTES = 7 * 24 * 60;

    @Spec
    private CommandSpec command;

    @Option(
            names = "--url",
            required = true,
            paramLabel = "URL",
            description = "Where the application shows its metrics to Prometheus, such as"
                    + " http://localhost:8080/actuator/prometheus. Nothing else is read")
    private URI url;

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "0",
            description = "Port of the page, 0 for any free one; default: ${DEFAULT-VALUE}")
    private int port;

    @Option(
            names = "--minutes",
            paramLabel = "N",
            defaultValue = "60",
            description = "Ends after so many minutes; 0 for never; default: ${DEFAULT-VALUE}")
    private double minutes;

    @Option(
            names = "--every",
            paramLabel = "DURATION",
            defaultValue = "1s",
            description = "How often the metrics are read; default: ${DEFAULT-VALUE}")
    private Duration every;

    @Override
    public Integer call() throws Exception {
        try {
            Preconditions.between("--port", port, 0, HIGHEST_PORT);
            Preconditions.check(
                    minutes >= 0 && minutes <= MOST_MINUTES,
                    "--minutes",
                    minutes,
                    "a number from 0 to " + MOST_MINUTES);
            boolean isHttp = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
            Preconditions.check(isHttp && url.getHost() != null, "--url", url, "an address with http:// or https://");
            Preconditions.check(
                    every.toMillis() >= 100 && every.compareTo(Duration.ofMinutes(1)) <= 0,
                    "--every",
                    DurationText.format(every),
                    "a duration from 100ms to 1m");
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
        }
        try (WatchServer server = WatchServer.start(url, port, every);
                Writer out = Output.open()) {
            out.write("listening on " + server.uri() + "\n");
            out.flush();
            CountDownLatch never = new CountDownLatch(1);
            if (minutes == 0) {
                never.await(); // to the end of the process
            } else {
                boolean unused = never.await((long) (minutes * MINUTE_MILLIS), TimeUnit.MILLISECONDS);
            }
        }
        return 0;
    }
}
