package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.ThrottleRegistry;
import dev.throttle.fixtures.Trace;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.EventListener;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the thread that enqueues a call knows is known to its attempts, its listeners and its callback. */
class CallerContextTest extends LoopbackTest {

    private final List<String> seen = new CopyOnWriteArrayList<>();

    @AfterEach
    void forget() {
        Trace.forget();
    }

    private void see(String where) {
        seen.add(where + " " + Trace.get());
    }

    private OkHttpClient client() {
        return plain().newBuilder()
                .addInterceptor(chain -> {
                    see("interceptor");
                    return chain.proceed(chain.request());
                })
                .eventListenerFactory(call -> new EventListener() {
                    @Override
                    public void callStart(Call started) {
                        see("start");
                    }
                })
                .build();
    }

    private Answer enqueue(ThrottlingCallFactory calls) {
        Answer answer = new Answer();
        Trace.set("caller");
        calls.newCall(get("/")).enqueue(new Callback() {
            @Override
            public void onResponse(Call call, Response response) {
                see("callback");
                answer.onResponse(call, response);
            }

            @Override
            public void onFailure(Call call, IOException e) {
                see("callback");
                answer.onFailure(call, e);
            }
        });
        Trace.set("something else");
        return answer;
    }

    @Test
    void everyAttemptAndTheCallbackSeeTheContextOfWhoEnqueued() {
        server.enqueue(refusal(429, 5));
        server.enqueue(refusal(429, 5));
        server.enqueue(status(200));
        ThrottleRegistry throttles = throttle().context(Trace::capture).build();
        assertThat(enqueue(ThrottlingCallFactory.create(client(), throttles)).await())
                .isEqualTo(200);
        assertThat(seen)
                .containsExactly(
                        "start caller",
                        "interceptor caller",
                        "start caller",
                        "interceptor caller",
                        "start caller",
                        "interceptor caller",
                        "callback caller");
    }

    @Test
    void aCallThatEndsWhileItIsParkedEndsInTheContextOfWhoEnqueued() {
        ThrottleRegistry throttles = throttle().context(Trace::capture).build();
        block(throttles, keyOf(get("/")), Duration.ofMinutes(1));
        ThrottlingCallFactory calls = ThrottlingCallFactory.create(client(), throttles);
        Answer answer = enqueue(calls);
        awaitWaiting(throttles, keyOf(get("/")), 1);
        calls.cancelAll();
        assertThat(answer.await()).isInstanceOf(IOException.class);
        assertThat(seen).containsExactly("start caller", "callback caller");
    }

    @Test
    void aCallOfTheInterceptorHasOneThreadAndSoOneContext() throws IOException {
        server.enqueue(refusal(429, 5));
        server.enqueue(status(200));
        ThrottleRegistry throttles = throttle().context(Trace::capture).build();
        OkHttpClient client = new OkHttpClient.Builder()
                .addInterceptor(ThrottlingInterceptor.create(throttles))
                .addInterceptor(chain -> {
                    see("interceptor");
                    return chain.proceed(chain.request());
                })
                .build();
        Trace.set("caller");
        assertThat(statusOf(client.newCall(get("/")))).isEqualTo(200);
        assertThat(seen).containsExactly("interceptor caller", "interceptor caller");
    }
}
