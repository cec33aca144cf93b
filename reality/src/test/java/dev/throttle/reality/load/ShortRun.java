package dev.throttle.reality.load;

import dev.throttle.reality.Limit;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A job of a few calls.
 *
 * @param client which client made them
 * @param succeeded how many were served
 * @param failure what the first failed call got, or null
 * @param requests on the wire
 * @param refused requests
 */
public record ShortRun(
        ClientKind client, int succeeded, @Nullable String failure, int requests, int refused) {

    private static final int CALLERS = 8;
    private static final Duration BOUND = Duration.ofMinutes(3);

    /** {@return what each of several clients did that began at the same time} */
    public static List<ShortRun> together(URI uri, Limit limit, int calls, List<ClientKind> clients) {
        List<CompletableFuture<ShortRun>> runs = new ArrayList<>();
        for (ClientKind client : clients) {
            runs.add(CompletableFuture.supplyAsync(() -> run(uri, limit, calls, client), task -> {
                Thread thread = new Thread(task, client.text());
                thread.setDaemon(true);
                thread.start();
            }));
        }
        return runs.stream().map(CompletableFuture::join).toList();
    }

    private static ShortRun run(URI uri, Limit limit, int calls, ClientKind kind) {
        Wire wire = new Wire();
        try (LoadClient client = kind.create(uri, wire, limit)) {
            Calls load = new Calls(client);
            load.job(calls, CALLERS, BOUND);
            return new ShortRun(
                    kind,
                    load.tally().succeeded(),
                    load.tally().failure(),
                    wire.exchanges().size(),
                    wire.count(Wire.Exchange::isRefused));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** {@return refused requests in percent of all} */
    public double refusedPercent() {
        return 100.0 * refused / requests;
    }
}
