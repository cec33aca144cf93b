package dev.throttle.okhttp;

import dev.throttle.client.Attempt;
import dev.throttle.client.BlockingExchange;
import dev.throttle.client.KeyedCall;
import java.io.IOException;
import okhttp3.Call;
import okhttp3.Response;

/** An executed call of the factory, which waits on the caller's thread. */
final class ExecutedCall extends ParkedCall implements BlockingExchange<Response> {

    private final ThrottlingCallFactory factory;

    ExecutedCall(ThrottlingCallFactory factory, ThrottlingCall call, KeyedCall keyed) {
        super(factory.config(), keyed, call);
        this.factory = factory;
    }

    @Override
    public void acquire(KeyedCall keyed) throws IOException, InterruptedException {
        factory.parked(1);
        try {
            keyed.acquire();
        } finally {
            factory.parked(-1);
        }
    }

    @Override
    public Throwable unsent(Throwable failure) {
        IOException cause = asIOException(failure);
        fail(cause);
        return cause;
    }

    @Override
    public Response send(Attempt attempt) throws IOException {
        Call sent = handOver(attempt);
        try {
            return sent.execute();
        } finally {
            endAttempt(sent);
        }
    }

    @Override
    public Peeked<Response> peek(Response response) {
        return look(response);
    }

    @Override
    public void discard(Response response) {
        response.close();
    }
}
