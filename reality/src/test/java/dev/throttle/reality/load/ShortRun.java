package dev.throttle.reality.load;

import dev.throttle.reality.Limit;
import java.net.URI;
import java.time.Duration;
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

    /** {@return what a client did that had the server for itself} */
    public static ShortRun of(URI uri, Limit limit, int calls, ClientKind kind) {
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
