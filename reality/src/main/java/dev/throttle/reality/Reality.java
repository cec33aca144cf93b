package dev.throttle.reality;

import dev.throttle.reality.load.CellRun;
import dev.throttle.reality.load.ClientKind;
import dev.throttle.reality.report.Report;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line: runs clients against products, and writes what they did. */
@Command(
        name = "reality",
        mixinStandardHelpOptions = true,
        description = "Runs clients against rate limiters that other people wrote. Each run adds a line to the results;"
                + " the report is made from all lines, so parts can run at different times.",
        sortOptions = false)
public final class Reality implements Callable<Integer> {

    @Option(names = "--list", description = "List the products, and what is missing for them, and end.")
    private boolean list;

    @Option(names = "--products", split = ",", paramLabel = "NAME", description = "Only these; default: all.")
    private List<String> products = List.of();

    @Option(names = "--cells", split = ",", paramLabel = "NAME", description = "Only these; --list names them.")
    private List<String> cells = List.of();

    @Option(names = "--clients", split = ",", paramLabel = "NAME", description = "Only these; --list names them.")
    private List<String> clients = List.of();

    @Option(
            names = "--job",
            paramLabel = "SECONDS",
            defaultValue = "30",
            description = "About the ideal time of a job; default: ${DEFAULT-VALUE}")
    private int jobSeconds;

    @Option(
            names = "--parallel",
            paramLabel = "N",
            defaultValue = "4",
            description = "How many run beside each other, mostly waiting; default: ${DEFAULT-VALUE}")
    private int parallel;

    @Option(
            names = "--results",
            paramLabel = "FILE",
            defaultValue = "reality/target/results.jsonl",
            description = "Where lines are added; default: ${DEFAULT-VALUE}")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path results;

    @Option(names = "--report", paramLabel = "FILE", description = "Write the report of all results to it.")
    private @Nullable Path report;

    @Option(names = "--report-only", description = "Run nothing.")
    private boolean reportOnly;

    private Reality() {}

    /**
     * Runs it. The exit status is 0 if everything ran, 1 if a part could not run.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Reality()).execute(args));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (list) {
            list(System.out);
            return 0;
        }
        int broken = reportOnly ? 0 : run();
        Path page = report;
        if (page != null) {
            List<Result> all = new ArrayList<>();
            for (String line : Files.readAllLines(results)) {
                all.add(Result.fromJson(line));
            }
            Files.writeString(page, Report.markdown(Products.all(), all));
        }
        return broken == 0 ? 0 : 1;
    }

    private static void list(PrintStream out) {
        for (Product product : Products.all()) {
            String missing = product.missing();
            out.printf("%-20s %s%n", product.name(), missing == null ? product.description() : "MISSING: " + missing);
        }
        out.println("cells: " + Arrays.stream(Cell.values()).map(Cell::text).collect(Collectors.joining(",")));
        out.println("clients: "
                + Arrays.stream(ClientKind.values()).map(ClientKind::text).collect(Collectors.joining(",")));
    }

    /** Runs what is selected, and returns how many parts could not run. */
    private int run() throws IOException, InterruptedException {
        List<Product> available = new ArrayList<>();
        for (Product product : products.isEmpty()
                ? Products.all()
                : products.stream().map(Products::named).toList()) {
            String missing = product.missing();
            if (missing == null) {
                available.add(product);
            } else {
                System.err.println("not run: " + product.name() + ": " + missing);
            }
        }
        List<Plan.Entry> plan = Plan.of(
                available,
                cells.stream().map(Cell::named).toList(),
                clients.stream()
                        .map(name -> ClientKind.valueOf(name.toUpperCase(Locale.ROOT)))
                        .toList());
        Path directory = results.toAbsolutePath().getParent();
        if (directory != null) {
            Files.createDirectories(directory);
        }
        AtomicInteger done = new AtomicInteger();
        AtomicInteger broken = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(parallel);
        for (Plan.Entry entry : plan) {
            threads.execute(() -> {
                String outcome = run(entry);
                if (outcome.isEmpty()) {
                    broken.incrementAndGet();
                }
                System.err.println(done.incrementAndGet() + " of " + plan.size() + ": " + entry + " " + outcome);
            });
        }
        threads.shutdown();
        threads.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS); // each part is bounded
        return broken.get();
    }

    /** Runs a part, and returns its result in short, or nothing if it could not run. */
    private String run(Plan.Entry entry) {
        try {
            Result result = CellRun.run(entry.product(), entry.cell(), entry.client(), Duration.ofSeconds(jobSeconds));
            synchronized (this) {
                Files.writeString(
                        results, result.toJson() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            }
            return String.format(
                    Locale.ROOT,
                    "refused %.1f %%, x %.2f, lost %.0f",
                    result.refusedPercent(),
                    result.slowdown(),
                    result.lost());
        } catch (IOException e) {
            System.err.println(entry + ": " + e.getMessage());
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
