package dev.throttle.reality.load;

import dev.throttle.reality.Cell;
import dev.throttle.reality.Kind;
import dev.throttle.reality.Limit;
import dev.throttle.reality.Product;
import dev.throttle.reality.ProductServer;
import dev.throttle.reality.Result;
import dev.throttle.reality.Result.Figure;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** Runs one cell: starts the product, puts the load of one client on it, and measures. */
public final class CellRun {

    private static final Duration OPEN_LENGTH = Duration.ofSeconds(60);
    private static final Duration SHARED_LENGTH = Duration.ofSeconds(50);
    private static final Duration DISTURBED_JOB = Duration.ofSeconds(40);
    private static final Duration STOP_AFTER = Duration.ofSeconds(13);
    private static final Duration OUTAGE = Duration.ofSeconds(10);
    private static final Duration RESTART = Duration.ofSeconds(1);
    private static final int DISTURBED_CALLERS = 8;
    private static final int SHARED_CALLERS = 4;
    private static final long SEED = 1;

    private final Product product;
    private final ProductServer server;
    private final ClientKind kind;
    private final Limit limit;
    private final Map<Figure, Double> figures = new EnumMap<>(Figure.class);

    private CellRun(Product product, ProductServer server, ClientKind kind) {
        this.product = product;
        this.server = server;
        this.kind = kind;
        this.limit = product.limit();
    }

    /**
     * {@return what the client did}
     *
     * @param jobLength about the ideal time of a job
     * @throws IOException if the product or a process does not start
     */
    public static Result run(Product product, Cell cell, ClientKind kind, Duration jobLength)
            throws IOException, InterruptedException {
        try (ProductServer server = ProductServer.start(product, 0)) {
            CellRun run = new CellRun(product, server, kind);
            String failure = cell.isShared() ? run.share(cell == Cell.PROCESSES_2 ? 2 : 5) : run.alone(cell, jobLength);
            double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
            return new Result(
                    product.name(),
                    product.version(),
                    cell.text(),
                    kind.text(),
                    LocalDate.now(ZoneOffset.UTC).toString(),
                    String.format(
                            Locale.ROOT,
                            "%d cores, load %.1f",
                            Runtime.getRuntime().availableProcessors(),
                            load),
                    run.figures,
                    failure);
        }
    }

    /** One process. */
    private String alone(Cell cell, Duration jobLength) throws IOException, InterruptedException {
        Wire wire = new Wire();
        try (LoadClient client = kind.create(server.uri(), wire, limit)) {
            Calls calls = new Calls(client);
            awaitWindow();
            long startedAt = System.nanoTime();
            int made;
            if (cell.isOpen()) {
                double share = cell == Cell.OPEN_50 ? 0.5 : 0.9;
                made = calls.poisson(
                        share * limit.callsPerSecond(),
                        OPEN_LENGTH,
                        OPEN_LENGTH.multipliedBy(2),
                        new SplittableRandom(SEED));
            } else if (cell.isDisturbed()) {
                made = disturb(cell, calls, wire);
            } else {
                made = job(cell, calls, jobLength);
            }
            count(calls.tally(), made, wire, System.nanoTime() - startedAt);
            String failure = calls.tally().failure();
            return failure == null ? "" : failure;
        }
    }

    /**
     * Windows of a grid, most of which count from the epoch, are met at their beginning: the ideal time is known then.
     */
    private void awaitWindow() throws InterruptedException {
        if (limit.onGrid()) {
            long length = limit.per().toMillis();
            Thread.sleep(length - System.currentTimeMillis() % length + 20);
        }
    }

    private int job(Cell cell, Calls calls, Duration length) throws InterruptedException {
        int made = limit.jobCalls(length);
        Duration ideal = limit.ideal(made);
        Duration bound = bound(ideal);
        figures.put(Figure.IDEAL_SECONDS, seconds(ideal.toNanos()));
        switch (cell) {
            case JOB_1 -> calls.job(made, 1, bound);
            case JOB_8 -> calls.job(made, 8, bound);
            case JOB_64 -> calls.job(made, 64, bound);
            default -> calls.flood(made, bound);
        }
        return made;
    }

    private static Duration bound(Duration ideal) {
        return ideal.multipliedBy(4).plusSeconds(30);
    }

    /** A job during which the server, or the application behind it, is away. */
    private int disturb(Cell cell, Calls calls, Wire wire) throws IOException, InterruptedException {
        int made = limit.jobCalls(DISTURBED_JOB);
        Duration bound = bound(limit.ideal(made));
        Thread job = new Thread(
                () -> {
                    try {
                        calls.job(made, DISTURBED_CALLERS, bound);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "job");
        job.start();
        try {
            Thread.sleep(STOP_AFTER.toMillis());
            long stoppedAt = System.nanoTime();
            if (cell == Cell.BAD_GATEWAY) {
                server.stopApplication();
                Thread.sleep(OUTAGE.toMillis());
                server.startApplication();
            } else {
                server.stop();
                Thread.sleep((cell == Cell.OUTAGE ? OUTAGE : RESTART).toMillis());
                server.start();
            }
            long backAt = System.nanoTime();
            job.join();
            afterReturn(wire.exchanges(), calls.tally(), made, stoppedAt, backAt);
        } finally {
            job.interrupt();
        }
        return made;
    }

    private void afterReturn(List<Wire.Exchange> exchanges, Tally tally, int made, long stoppedAt, long backAt) {
        long lastBefore = stoppedAt - limit.per().toNanos();
        long firstAfter = Long.MAX_VALUE;
        long last = backAt;
        int servedBefore = 0;
        long firstInVain = Long.MAX_VALUE;
        int inVain = 0;
        for (Wire.Exchange exchange : exchanges) {
            last = Math.max(last, exchange.answeredAt());
            if (exchange.isServed() && exchange.answeredAt() < backAt) {
                servedBefore++;
                lastBefore = exchange.answeredAt();
            } else if (exchange.isServed()) {
                firstAfter = Math.min(firstAfter, exchange.answeredAt());
            } else if (exchange.answeredAt() >= stoppedAt && exchange.sentAt() < backAt && exchange.status() != 429) {
                inVain++;
                firstInVain = Math.min(firstInVain, exchange.answeredAt());
            }
        }
        long noticedAt = firstInVain;
        long inFlight = exchanges.stream()
                .filter(each -> each.sentAt() < noticedAt && each.answeredAt() >= noticedAt)
                .count();
        boolean told = product.kind() == Kind.TOLD_WINDOW || product.kind() == Kind.TOLD_SECOND;
        long toldWait = told ? Math.max(0, lastBefore + limit.per().toNanos() - backAt) : 0;
        Duration ideal = limit.ideal(Math.max(1, made - servedBefore));
        figures.put(Figure.IN_FLIGHT, (double) inFlight);
        figures.put(Figure.IN_VAIN, (double) inVain);
        figures.put(Figure.TOLD_WAIT_SECONDS, seconds(toldWait));
        if (firstAfter != Long.MAX_VALUE) {
            figures.put(Figure.FIRST_SUCCESS_SECONDS, seconds(firstAfter - backAt));
        }
        if (tally.succeeded() == made) { // a job that loses calls ends early
            figures.put(Figure.REST_SLOWDOWN, (double) (last - firstAfter) / ideal.toNanos());
        }
    }

    private void count(Tally tally, int made, Wire wire, long nanos) {
        List<Wire.Exchange> exchanges = wire.exchanges();
        long firstRefusal = exchanges.stream()
                .filter(Wire.Exchange::isRefused)
                .mapToLong(Wire.Exchange::answeredAt)
                .min()
                .orElse(0);
        figures.put(Figure.CALLS, (double) made);
        figures.put(Figure.SUCCEEDED, (double) tally.succeeded());
        figures.put(Figure.FAILED, (double) tally.failed());
        figures.put(Figure.UNFINISHED, (double) made - tally.succeeded() - tally.failed());
        figures.put(Figure.REQUESTS, (double) exchanges.size());
        figures.put(Figure.REFUSED, (double) wire.count(Wire.Exchange::isRefused));
        figures.put(Figure.REFUSED_LATER, (double)
                wire.count(each -> each.isRefused() && each.sentAt() - firstRefusal > TimeUnit.SECONDS.toNanos(1)));
        figures.put(Figure.SECONDS, seconds(nanos));
        List<Long> latencies = tally.latencies();
        if (!latencies.isEmpty()) {
            figures.put(Figure.P50_MS, latencies.get(latencies.size() / 2) / 1e6);
            figures.put(Figure.P99_MS, latencies.get(latencies.size() * 99 / 100) / 1e6);
        }
    }

    /** Several processes, which begin together. */
    private String share(int processes) throws IOException, InterruptedException {
        List<Worker> workers = new ArrayList<>();
        try {
            for (int i = 0; i < processes; i++) {
                workers.add(Worker.start(kind, server.uri(), limit, SHARED_CALLERS, SHARED_LENGTH));
            }
            for (Worker worker : workers) {
                worker.awaitReady();
            }
            for (Worker worker : workers) {
                worker.go();
            }
            double requests = 0;
            double refused = 0;
            double failed = 0;
            double sum = 0;
            double squares = 0;
            for (Worker worker : workers) {
                Worker.Report report = worker.end(SHARED_LENGTH);
                requests += report.requests();
                refused += report.refused();
                failed += report.failed();
                sum += report.succeeded();
                squares += (double) report.succeeded() * report.succeeded();
            }
            figures.put(Figure.CALLS, sum + failed);
            figures.put(Figure.SUCCEEDED, sum);
            figures.put(Figure.FAILED, failed);
            figures.put(Figure.UNFINISHED, 0.0);
            figures.put(Figure.REQUESTS, requests);
            figures.put(Figure.REFUSED, refused);
            figures.put(Figure.SECONDS, seconds(SHARED_LENGTH.toNanos()));
            figures.put(Figure.JAIN, squares == 0 ? 0 : sum * sum / processes / squares);
            figures.put(Figure.USED_PERCENT, 100 * sum / limit.granted(SHARED_LENGTH));
            return "";
        } finally {
            workers.forEach(Worker::close);
        }
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }
}
