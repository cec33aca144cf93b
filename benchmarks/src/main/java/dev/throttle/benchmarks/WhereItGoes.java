package dev.throttle.benchmarks;

import dev.throttle.okhttp.ThrottlingInterceptor;
import java.io.PrintStream;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import okhttp3.EventListener;
import okhttp3.OkHttpClient;

/**
 * What of the cost end to end is OkHttp's own: a throttled client beside clients with the same additions that do
 * nothing.
 */
final class WhereItGoes {

    private static final int MANY = 4;

    private WhereItGoes() {}

    /**
     * A kind of client.
     *
     * @param name what sets it apart
     * @param additions makes it so
     */
    record Kind(String name, Consumer<OkHttpClient.Builder> additions) {
        EndToEnd.Sender sender(URI uri) {
            OkHttpClient.Builder builder = new OkHttpClient.Builder();
            additions.accept(builder);
            return EndToEnd.sender(builder.build(), uri);
        }
    }

    /**
     * Runs the measurement.
     *
     * @param arguments the scale
     */
    public static void main(String[] arguments) throws Exception {
        Scale scale = Scale.valueOf(arguments[0]);
        Duration time = Duration.ofSeconds(scale.of(40, 1));
        EndToEnd.withServer(port -> measure(port, time, scale.of(300, 50), System.out));
        System.exit(0); // the clients' threads would live on for a while
    }

    /**
     * Prints the table.
     *
     * @param time for each combination of a response and a number of callers
     * @param requests in a block of one caller; each of several sends a third of it
     */
    static void measure(int port, Duration time, int requests, PrintStream out) throws Exception {
        List<String> columns = new ArrayList<>(List.of("more than a bare client, us"));
        List<List<String>> rows = new ArrayList<>();
        List<Kind> kinds = kinds();
        for (Kind kind : kinds.subList(1, kinds.size())) {
            rows.add(new ArrayList<>(List.of(kind.name)));
        }
        for (String path : List.of(EndToEnd.PLAIN, TinyServer.QUOTA)) {
            URI uri = EndToEnd.uri(port, path);
            for (int callers : List.of(1, MANY)) {
                columns.add(path.substring(1) + ", " + callers + ": CPU");
                columns.add(path.substring(1) + ", " + callers + ": p50");
                List<EndToEnd.Sender> senders =
                        kinds.stream().map(kind -> kind.sender(uri)).toList();
                RandomTurns turns = new RandomTurns(senders, callers, callers == 1 ? requests : requests / 3);
                turns.run(time);
                for (int i = 0; i < rows.size(); i++) {
                    rows.get(i).addAll(turns.cells(i + 1));
                }
            }
        }
        Table table = new Table(out, columns.toArray(String[]::new));
        rows.forEach(table::row);
    }

    /** The first is what the others are compared with; the second shows what chance can make. */
    private static List<Kind> kinds() {
        return List.of(
                new Kind("a bare client", client -> {}),
                new Kind("another bare client", client -> {}),
                new Kind(
                        "interceptors that do nothing, application's and network's",
                        client -> client.addInterceptor(chain -> chain.proceed(chain.request()))
                                .addNetworkInterceptor(chain -> chain.proceed(chain.request()))),
                new Kind(
                        "an event listener that does nothing",
                        client -> client.addInterceptor(chain -> {
                            chain.call().addEventListener(new EventListener() {});
                            return chain.proceed(chain.request());
                        })),
                new Kind("**Throttle**, without observer", client -> client.addInterceptor(throttling())),
                new Kind("**Throttle**", client -> {
                    ThrottlingInterceptor throttling = throttling();
                    client.addInterceptor(throttling).addNetworkInterceptor(throttling.observer());
                }));
    }

    private static ThrottlingInterceptor throttling() {
        return ThrottlingInterceptor.create(Subjects.perKey());
    }
}
