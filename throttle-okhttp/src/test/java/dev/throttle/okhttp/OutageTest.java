package dev.throttle.okhttp;

import dev.throttle.fixtures.OutageContract;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;

class OutageTest extends OutageContract<OutageTest.Door> {

    private final ThrottlingInterceptor interceptor = ThrottlingInterceptor.create(throttles);
    private final OkHttpClient client = client();

    private static OkHttpClient client() {
        Dispatcher dispatcher = new Dispatcher();
        dispatcher.setMaxRequestsPerHost(CALLS);
        return new OkHttpClient.Builder().dispatcher(dispatcher).build();
    }

    enum Door {
        INTERCEPTOR,
        FACTORY
    }

    static Door[] doors() {
        return Door.values();
    }

    @AfterEach
    void closesTheClient() {
        client.dispatcher().executorService().shutdown();
        closeIdleConnections();
    }

    @Override
    protected void closeIdleConnections() {
        client.connectionPool().evictAll();
    }

    @Override
    protected CompletableFuture<Integer> call(Door door, URI uri, String method) {
        RequestBody body = method.equals("POST") ? RequestBody.create("text", null) : null;
        Request request =
                new Request.Builder().url(uri.toString()).method(method, body).build();
        Call.Factory factory = door == Door.FACTORY
                ? interceptor.callFactory(client)
                : client.newBuilder()
                        .addInterceptor(interceptor)
                        .addNetworkInterceptor(interceptor.observer())
                        .build();
        CompletableFuture<Integer> status = new CompletableFuture<>();
        factory.newCall(request).enqueue(new Callback() {
            @Override
            public void onResponse(Call call, Response response) {
                status.complete(response.code());
                response.close();
            }

            @Override
            public void onFailure(Call call, IOException e) {
                status.completeExceptionally(e);
            }
        });
        return status;
    }
}
