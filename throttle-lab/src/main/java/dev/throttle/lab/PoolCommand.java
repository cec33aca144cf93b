package dev.throttle.lab;

import dev.throttle.lab.PoolSimulation.Result;
import java.io.IOException;
import java.io.Writer;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A pool beside routers, over servers with different quotas. */
@Command(
        name = "pool",
        mixinStandardHelpOptions = true,
        description =
                "A pool over three servers with different quotas, one of them slow, one away for a minute, and one"
                        + " without headers; routers that let servers cool down beside it.")
@SuppressWarnings("NullAway.Init") // set by picocli
final class PoolCommand implements Callable<Integer> {

    private static final double NANOS_PER_SECOND = 1e9;

    @Option(names = "--callers", paramLabel = "N", defaultValue = "60", description = "Default: ${DEFAULT-VALUE}")
    private int callers;

    @Option(names = "--calls", paramLabel = "N", defaultValue = "10000", description = "Default: ${DEFAULT-VALUE}")
    private int calls;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}")
    private long seed;

    @Override
    public Integer call() throws IOException {
        PoolSimulation simulation = new PoolSimulation(PoolSimulation.usual(), callers, calls, seed);
        Result ideal = simulation.ideal();
        Map<String, Result> results = new LinkedHashMap<>();
        results.put("pool", simulation.withPool());
        results.put("router", simulation.withRouter(0));
        results.put("router, 3 retries", simulation.withRouter(3));
        results.put("router, 10 retries", simulation.withRouter(10));
        results.put("ideal", ideal);
        try (Writer out = Output.open()) {
            out.write("| client | seconds | x | quotas used | sent | refused | no server | calls failed |");
            for (PoolSimulation.Server server : simulation.servers()) {
                out.write(" " + server.name() + " |");
            }
            out.write("\n|---|---:|---:|---:|---:|---:|---:|---:|"
                    + "---:|".repeat(simulation.servers().size()) + "\n");
            for (Map.Entry<String, Result> row : results.entrySet()) {
                out.write(row(row.getKey(), row.getValue(), ideal));
            }
        }
        return 0;
    }

    private static String row(String name, Result result, Result ideal) {
        StringBuilder row = new StringBuilder(String.format(
                Locale.ROOT,
                "| %s | %.0f | %s | %.1f %% | %d | %.2f %% | %d | %d |",
                name,
                result.nanos() / NANOS_PER_SECOND,
                result.failed() > 0
                        ? "" // not all of the work was done
                        : String.format(Locale.ROOT, "%.3f", (double) result.nanos() / ideal.nanos()),
                100 * result.used(),
                result.sent(),
                100 * result.refusedShare(),
                result.unreached(),
                result.failed()));
        result.accepted().forEach(accepted -> row.append(' ').append(accepted).append(" |"));
        return row.append("\n").toString();
    }
}
