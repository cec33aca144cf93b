package dev.throttle.okhttp;

import dev.throttle.client.Attempt;
import dev.throttle.client.BlockingExchange;
import dev.throttle.client.KeyedCall;
import java.io.IOException;
import java.time.Duration;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.Response;

/** A call in the interceptor, which waits on the thread of OkHttp's call and repeats inside of that. */
final class InterceptedCall extends OkHttpCall implements BlockingExchange<Response> {

    private final Interceptor.Chain chain;
    private final CallTag tag;

    InterceptedCall(Config config, KeyedCall keyed, Interceptor.Chain chain, CallTag tag) {
        super(config, chain.request(), keyed);
        this.chain = chain;
        this.tag = tag;
        long timeoutNanos = chain.call().timeout().timeoutNanos();
        timesOutAfter(timeoutNanos);
        if (timeoutNanos != 0) {
            keyed.deadline(Duration.ofNanos(timeoutNanos));
        }
    }

    @Override
    Call okHttpCall() {
        return chain.call();
    }

    @Override
    public void acquire(KeyedCall call) throws IOException, InterruptedException {
        tag.acquire(call, chain.call());
    }

    @Override
    public Response send(Attempt attempt) throws IOException {
        begin(attempt);
        return proceed(chain);
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
