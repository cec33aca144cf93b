package dev.throttle.lab;

import dev.throttle.internal.Preconditions;
import dev.throttle.lab.server.LabServer;
import dev.throttle.lab.server.ServerSpec;
import dev.throttle.lab.sim.LogNormal;
import java.io.Writer;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A rate-limited server to try a client on. */
@Command(
        name = "serve",
        mixinStandardHelpOptions = true,
        description = "A rate-limited server on loopback to try a client on. GET /stats tells the counts.")
@SuppressWarnings("NullAway.Init") // set by picocli
final class ServeCommand implements Callable<Integer> {

    private static final int HIGHEST_PORT = 65_535;

    @Spec
    private CommandSpec command;

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "0",
            description = "0 for any free one; default: ${DEFAULT-VALUE}")
    private int port;

    @Mixin
    private ServerOptions server;

    @Option(
            names = "--latency",
            paramLabel = "DURATION",
            defaultValue = "0s",
            description = "Simulated time from request to answer; default: ${DEFAULT-VALUE}")
    private Duration latency;

    @Option(
            names = "--time-scale",
            paramLabel = "FACTOR",
            defaultValue = "1",
            description = "How much faster the server's time goes; with 10 an hour passes in six minutes, and headers"
                    + " count in real seconds; default: ${DEFAULT-VALUE}")
    private double timeScale;

    @Option(
            names = "--cost",
            paramLabel = "MEAN[:SIGMA]",
            defaultValue = "1000",
            description = "What each request costs if the server is llm, log-normal; the answer tells it as usage;"
                    + " default: ${DEFAULT-VALUE}")
    private LogNormal cost;

    @Override
    public Integer call() throws Exception {
        LabServer running;
        try {
            Preconditions.between("--port", port, 0, HIGHEST_PORT);
            ServerSpec spec = server.spec(latency, 0);
            Preconditions.check(
                    server.burstOfArrivals() == null,
                    "--burst",
                    String.valueOf(server.burstOfArrivals()),
                    "nothing unless the server is nginx-limit-req");
            SplittableRandom random = new SplittableRandom();
            running = LabServer.start(port, spec, latency, timeScale, () -> Math.round(cost.draw(random)));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
        }
        try (running;
                Writer out = Output.open()) {
            out.write("listening on " + running.uri() + "\n");
            out.flush();
            new CountDownLatch(1).await(); // to the end of the process
        }
        return 0;
    }
}
