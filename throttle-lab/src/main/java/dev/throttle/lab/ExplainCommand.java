package dev.throttle.lab;

import dev.throttle.Throttle;
import dev.throttle.testing.VirtualTime;
import java.io.IOException;
import java.io.Writer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** What a throttle has learned from the responses of one server. */
@Command(
        name = "explain",
        mixinStandardHelpOptions = true,
        description = "What do these responses tell together? Reads responses as JSON Lines from stdin, such as"
                + " {\"at\":0.5,\"status\":200,\"headers\":{\"X-RateLimit-Reset\":\"29500\"}}, in the order in which a"
                + " program received them from one server; writes what its throttle has learned, and what a call"
                + " would wait for.")
final class ExplainCommand implements Callable<Integer> {

    @Override
    public Integer call() throws IOException {
        VirtualTime time = new VirtualTime();
        long startedAt = time.nanoTime();
        Throttle throttle = Throttle.builder()
                .name("server")
                .time(time)
                .executor(Runnable::run)
                .build();
        JsonLines lines = new JsonLines(System.in);
        @Nullable Map<String, Object> line = lines.next();
        while (line != null) {
            try {
                advance(time, startedAt, ReplayCommand.at(line.get("at")));
                throttle.acquireAsync().join().complete(throttle.read(RecordedResponse.of(line)));
            } catch (IllegalArgumentException e) {
                throw lines.wrong(String.valueOf(e.getMessage()));
            }
            line = lines.next();
        }
        try (Writer out = Output.open()) {
            out.write(throttle.explainWait().replace(". ", ".\n") + "\n");
        }
        return 0;
    }

    private static void advance(VirtualTime time, long startedAt, @Nullable Duration at) {
        long left = at == null ? 0 : startedAt + at.toNanos() - time.nanoTime();
        if (left > 0) {
            time.advance(Duration.ofNanos(left));
        }
    }
}
