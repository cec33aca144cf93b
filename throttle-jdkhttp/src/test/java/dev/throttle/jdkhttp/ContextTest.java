package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A request that has waited is sent from another thread than its caller's; that must not be somebody else's. */
class ContextTest {

    private static final InheritableThreadLocal<String> USER = new InheritableThreadLocal<>();

    @Test
    void noRequestIsSentUnderTheContextThatAThreadHasInherited() throws Exception {
        List<String> borrowed = new CopyOnWriteArrayList<>();
        List<String> threads = new CopyOnWriteArrayList<>();
        FakeClient recording = new FakeClient(new FakeClient.Script() {
            @Override
            public <T> CompletableFuture<HttpResponse<T>> answer(int number, HttpRequest request, BodyHandler<T> h) {
                String user = USER.get();
                if (user == null) {
                    threads.add(Thread.currentThread().getName());
                } else if (!request.headers().firstValue("User").equals(java.util.Optional.of(user))) {
                    borrowed.add(user);
                }
                return CompletableFuture.completedFuture(FakeClient.respond(request, 200, h));
            }
        });
        for (int round = 0; round < 5; round++) {
            List<CompletableFuture<?>> calls = new CopyOnWriteArrayList<>();
            List<Thread> callers = new ArrayList<>();
            AtomicBoolean open = new AtomicBoolean();
            Throttle throttle = TestThrottles.builder(Duration.ZERO)
                    .limit(TestThrottles.closedUntil(open))
                    .build();
            ThrottlingHttpClient client = ThrottlingHttpClient.newBuilder(recording)
                    .throttle(throttle)
                    .build();
            for (int i = 0; i < 20; i++) {
                String user = "user-" + i;
                HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost/"))
                        .header("User", user)
                        .build();
                Thread caller = new Thread(() -> {
                    USER.set(user);
                    calls.add(client.sendAsync(request, BodyHandlers.discarding()));
                });
                callers.add(caller);
                caller.start();
            }
            for (Thread caller : callers) {
                caller.join();
            }
            open.set(true);
            for (CompletableFuture<?> call : calls) {
                call.get(30, TimeUnit.SECONDS);
            }
        }
        assertThat(borrowed).isEmpty();
        assertThat(threads).hasSize(100).allSatisfy(name -> assertThat(name).startsWith("throttle-callback"));
    }
}
