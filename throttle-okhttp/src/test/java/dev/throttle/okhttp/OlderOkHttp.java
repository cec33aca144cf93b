package dev.throttle.okhttp;

import dev.throttle.ThrottleRegistry;
import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.retry.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttp;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** What {@link OkHttpVersionsTest} runs on other versions of OkHttp. */
public final class OlderOkHttp {

    private OlderOkHttp() {}

    /** Makes a call through each door, and one that is canceled while it waits. */
    public static String run(String url) throws Exception {
        ThrottleRegistry throttles = ThrottleRegistry.builder()
                .strategy(Strategies.exponentialIncreaseProportionalRemainingDecrease()
                        .minSleep(Duration.ofMillis(1))
                        .build())
                .retryPolicy(RetryPolicy.builder()
                        .rateLimitedFloor(Duration.ofMillis(1))
                        .build())
                .build();
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(throttles);
        OkHttpClient client = new OkHttpClient.Builder()
                .addInterceptor(throttling)
                .addNetworkInterceptor(throttling.observer())
                .build();
        Request request = new Request.Builder().url(url).build();
        ThrottlingCallFactory calls = ThrottlingCallFactory.create(new OkHttpClient(), throttles);
        String result = "OkHttp "
                + OkHttp.class.getField("VERSION").get(null) + ": "
                + status(client.newCall(request)) + " " + status(calls.newCall(request)) + " "
                + enqueued(calls.newCall(request));
        Calls.of(throttles.get(
                        "http://" + request.url().host() + ":" + request.url().port()))
                .newCall()
                .acquireForced()
                .complete(new dev.throttle.signal.Signal(
                        dev.throttle.signal.Outcome.RATE_LIMITED,
                        new dev.throttle.signal.RateHints(Duration.ofSeconds(60), java.util.List.of())));
        Call waiting = client.newCall(request);
        Thread canceler = new Thread(() -> {
            while (throttles.all().get(0).snapshot().waiting() == 0) {
                Thread.onSpinWait();
            }
            waiting.cancel();
        });
        canceler.start();
        try {
            return result + " " + status(waiting);
        } catch (IOException e) {
            return result + " " + e.getMessage();
        } finally {
            canceler.join();
            client.dispatcher().executorService().shutdown();
            calls.dispatcher().executorService().shutdown();
        }
    }

    private static int status(Call call) throws IOException {
        try (Response response = call.execute()) {
            return response.code();
        }
    }

    private static Object enqueued(Call call) {
        CompletableFuture<Object> outcome = new CompletableFuture<>();
        call.enqueue(new Callback() {
            @Override
            public void onResponse(Call c, Response response) {
                response.close();
                outcome.complete(response.code());
            }

            @Override
            public void onFailure(Call c, IOException e) {
                outcome.complete(e);
            }
        });
        return outcome.join();
    }
}
