package dev.throttle.lab;

import dev.throttle.Priority;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.throttle.Throttle;
import dev.throttle.ThrottleListener;
import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import dev.throttle.lab.server.HeaderStyle;
import dev.throttle.lab.server.LabServer;
import dev.throttle.lab.server.ServerKind;
import dev.throttle.lab.server.ServerSpec;
import dev.throttle.lab.sim.Figures;
import dev.throttle.lab.sim.Scenario;
import dev.throttle.lab.sim.Simulation;
import dev.throttle.okhttp.ThrottlingInterceptor;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;

/**
 * The simulator against the real clients: two "processes" with five blocking threads each, one over the JDK's HTTP
 * client and one over OkHttp, drive the server of {@code serve} with a time scale of 10 for 30 simulated minutes.
 * Three real minutes for all strategies together, so it is no part of the build: see {@code docs/lab.md}.
 */
class RealClientsCheck {

    private static final int SCALE = 10;
    private static final int THREADS = 5;
    private static final Duration SIMULATED = Duration.ofMinutes(30);
    private static final Duration LATENCY = Duration.ofMillis(165);
    private static final ServerSpec SERVER =
            new ServerSpec(ServerKind.GCRA, 4500, Duration.ofHours(1), null, HeaderStyle.REMAINING, false);

    private static final List<String> STRATEGIES = List.of(
            "exponential-backoff",
            "exponential-increase-gradual-decrease",
            "exponential-increase-proportional-decrease",
            "exponential-increase-proportional-remaining-decrease");

    @Test
    void theSimulatorAgreesWithTheRealClients() throws Exception {
        List<Experiment> experiments = new ArrayList<>();
        for (String strategy : STRATEGIES) {
            experiments.add(new Experiment(strategy));
        }
        Thread.sleep(SIMULATED.dividedBy(SCALE).toMillis());
        System.out.println("| strategy | | requests | refused % | longest sleep s | used % |");
        System.out.println("| --- | --- | ---: | ---: | ---: | ---: |");
        for (Experiment experiment : experiments) {
            experiment.end();
        }
    }

    /** One strategy with a server of its own. */
    private static final class Experiment implements ThrottleListener {

        private final String strategy;
        private final LabServer server = LabServer.start(0, SERVER, LATENCY, SCALE);
        private final AtomicLong longestWaitNanos = new AtomicLong();
        private final List<Thread> threads = new ArrayList<>();
        private volatile boolean ended;

        Experiment(String strategy) throws Exception {
            this.strategy = strategy;
            URI uri = server.uri();
            HttpClient jdk = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                    .throttles(throttles())
                    .build();
            HttpRequest jdkRequest = HttpRequest.newBuilder(uri)
                    .version(HttpClient.Version.HTTP_1_1)
                    .build();
            start(() -> jdk.send(jdkRequest, HttpResponse.BodyHandlers.discarding())
                    .statusCode());
            ThrottlingInterceptor throttling = ThrottlingInterceptor.create(throttles());
            OkHttpClient okHttp = new OkHttpClient.Builder()
                    .addInterceptor(throttling)
                    .addNetworkInterceptor(throttling.observer())
                    .build();
            Request okRequest = new Request.Builder().url(uri.toString()).build();
            start(() -> {
                try (Response response = okHttp.newCall(okRequest).execute()) {
                    return response.code();
                }
            });
        }

        private ThrottleRegistry throttles() {
            return ThrottleRegistry.builder()
                    .strategy(Strategies.named(strategy))
                    .maxWait(Duration.ofDays(365))
                    .time(new FastTime(SCALE))
                    .listener(this)
                    .build();
        }

        private void start(Callable<Integer> call) {
            for (int i = 0; i < THREADS; i++) {
                Thread thread = new Thread(() -> {
                    while (!ended) {
                        try {
                            call.call();
                        } catch (Exception e) {
                            if (!ended) {
                                e.printStackTrace();
                            }
                        }
                    }
                });
                thread.setDaemon(true);
                threads.add(thread);
                thread.start();
            }
        }

        @Override
        public void onWaited(Source throttle, Priority priority, String reason, Duration wait) {
            longestWaitNanos.accumulateAndGet(wait.toNanos(), Math::max);
        }

        void end() throws Exception {
            Map<String, Object> stats = JSON.std.mapFrom(server.stats());
            ended = true;
            threads.forEach(Thread::interrupt);
            double requests = ((Number) stats.get("requests")).doubleValue();
            double accepted = ((Number) stats.get("accepted")).doubleValue();
            double seconds = ((Number) stats.get("elapsedSeconds")).doubleValue();
            print(
                    "real",
                    requests,
                    100 * (requests - accepted) / requests,
                    longestWaitNanos.get() / 1e9,
                    100 * accepted / Math.floor(seconds * 1.25));
            Scenario scenario = new Scenario(SERVER, 2, THREADS, SIMULATED, LATENCY, List.of(), null);
            List<Figures> runs = new ArrayList<>();
            for (int seed = 1; seed <= 20; seed++) {
                runs.add(Figures.of(Simulation.run(scenario, Strategies.named(strategy), seed, false)));
            }
            for (String bound : new String[] {"least of 20", "mean of 20", "most of 20"}) {
                print(
                        bound,
                        of(bound, runs.stream().mapToDouble(Figures::requests).toArray()),
                        of(
                                bound,
                                runs.stream()
                                        .mapToDouble(run -> 100 * (run.requests() - run.accepted()) / run.requests())
                                        .toArray()),
                        of(
                                bound,
                                runs.stream()
                                        .mapToDouble(Figures::maxSleepSeconds)
                                        .toArray()),
                        of(
                                bound,
                                runs.stream()
                                        .mapToDouble(run -> 100 * run.utilisation())
                                        .toArray()));
            }
            assertThat(accepted).isPositive();
            server.close();
        }

        private static double of(String bound, double[] values) {
            java.util.DoubleSummaryStatistics all =
                    java.util.Arrays.stream(values).summaryStatistics();
            return switch (bound.charAt(0)) {
                case 'l' -> all.getMin();
                case 'm' -> bound.startsWith("mean") ? all.getAverage() : all.getMax();
                default -> throw new IllegalArgumentException(bound);
            };
        }

        private void print(String what, double requests, double refused, double longest, double used) {
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %s | %.0f | %.2f | %.2f | %.2f |%n",
                    strategy,
                    what,
                    requests,
                    refused,
                    longest,
                    used);
        }
    }
}
