package dev.throttle.reality.load;

import dev.throttle.ThrottleRegistry;
import dev.throttle.okhttp.ThrottlingInterceptor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.EventListener;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Throttle on OkHttp, wired as its page says: the interceptor for calls that block, the call factory for all others.
 */
final class ThrottledOkHttp implements LoadClient {

    private final Request request;
    private final OkHttpClient client;
    private final Call.Factory calls;

    ThrottledOkHttp(URI uri, Wire wire) {
        request = new Request.Builder().url(uri.toString()).build();
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(ThrottleRegistry.create());
        client = new OkHttpClient.Builder()
                .addInterceptor(throttling)
                .addNetworkInterceptor(throttling.observer())
                .addNetworkInterceptor(chain -> {
                    long sentAt = System.nanoTime();
                    try {
                        Response response = chain.proceed(chain.request());
                        wire.ended(sentAt, response.code());
                        return response;
                    } catch (IOException e) {
                        wire.ended(sentAt, Wire.NO_ANSWER);
                        throw e;
                    }
                })
                // A connection that is refused reaches no interceptor.
                .eventListenerFactory(call -> new Connects(wire))
                .build();
        calls = throttling.callFactory(client);
    }

    private static final class Connects extends EventListener {

        private final Wire wire;
        private long startedAt;

        Connects(Wire wire) {
            this.wire = wire;
        }

        @Override
        public void connectStart(Call call, InetSocketAddress address, Proxy proxy) {
            startedAt = System.nanoTime();
        }

        @Override
        public void connectFailed(
                Call call, InetSocketAddress address, Proxy proxy, @Nullable Protocol protocol, IOException failure) {
            wire.ended(startedAt, Wire.NO_ANSWER);
        }
    }

    @Override
    public int call() throws IOException {
        try (Response response = client.newCall(request).execute()) {
            return response.code();
        }
    }

    @Override
    public CompletableFuture<Integer> callLater() {
        CompletableFuture<Integer> status = new CompletableFuture<>();
        calls.newCall(request).enqueue(new Callback() {
            @Override
            public void onFailure(Call call, IOException failure) {
                status.completeExceptionally(failure);
            }

            @Override
            public void onResponse(Call call, Response response) {
                try (response) {
                    status.complete(response.code());
                }
            }
        });
        return status;
    }

    @Override
    public void close() {
        client.dispatcher().cancelAll();
        client.dispatcher().executorService().shutdownNow();
        client.connectionPool().evictAll();
    }
}
