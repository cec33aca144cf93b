package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.Pool;
import dev.throttle.ThrottleRegistry;
import dev.throttle.testing.RateLimitedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client whose requests go to the members of a pool, each with an origin and credentials of its own. */
class PoolTest {

    private final MockWebServer east = new MockWebServer();
    private final MockWebServer west = new MockWebServer();
    private final ThrottleRegistry throttles = ThrottleRegistry.create();
    private final Pool pool =
            Pool.of(throttles, Pool.member("east"), Pool.member("west").tier(2));
    private final OkHttpClient plain = new OkHttpClient();

    @BeforeEach
    void start() throws IOException {
        east.start(InetAddress.getLoopbackAddress(), 0);
        west.start(InetAddress.getLoopbackAddress(), 0);
    }

    @AfterEach
    void stop() {
        east.close();
        west.close();
    }

    private Request to(Request request, String member) {
        HttpUrl base = (member.equals("east") ? east : west).url("/");
        HttpUrl url = request.url()
                .newBuilder()
                .scheme(base.scheme())
                .host(base.host())
                .port(base.port())
                .build();
        return request.newBuilder()
                .url(url)
                .header("api-key", "key of " + member)
                .header("Authorization", "Bearer " + member)
                .build();
    }

    private OkHttpClient client() {
        ThrottlingInterceptor throttling =
                ThrottlingInterceptor.builder(throttles).pool(pool, this::to).build();
        return plain.newBuilder()
                .addInterceptor(throttling)
                .addNetworkInterceptor(throttling.observer())
                .build();
    }

    private static Request.Builder request() {
        return new Request.Builder().url("http://pool.invalid/v1/chat?x=1").header("X-Own", "stays");
    }

    private static Request post() {
        return request()
                .post(RequestBody.create("{}", MediaType.get("application/json")))
                .build();
    }

    private static MockResponse refused(int seconds) {
        return new MockResponse.Builder()
                .code(429)
                .addHeader("Retry-After", seconds)
                .build();
    }

    private static MockResponse ok(String body) {
        return new MockResponse.Builder().body(body).build();
    }

    private static void assertSentTo(String member, RecordedRequest request) {
        assertThat(request.getHeaders().values("api-key")).containsExactly("key of " + member);
        assertThat(request.getHeaders().values("Authorization")).containsExactly("Bearer " + member);
        assertThat(request.getTarget()).matches("/v1/chat(\\?.*)?");
    }

    private static CompletableFuture<String> enqueue(Call call) {
        CompletableFuture<String> body = new CompletableFuture<>();
        call.enqueue(new Callback() {
            @Override
            public void onFailure(Call failed, IOException e) {
                body.completeExceptionally(e);
            }

            @Override
            public void onResponse(Call answered, Response response) throws IOException {
                try (response) {
                    body.complete(response.body().string());
                }
            }
        });
        return body;
    }

    @Test
    void aPoolOfAnotherRegistryIsRefused() {
        ThrottleRegistry other = ThrottleRegistry.create();
        assertThatThrownBy(() -> ThrottlingInterceptor.builder(other)
                        .pool(pool, this::to)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("pool must be a pool of the registry of this client, but was Pool[pool, 2 members]");
    }

    @Test
    void aRefusedRequestGoesToAnotherMemberWithItsCredentials() throws Exception {
        east.enqueue(refused(600));
        west.enqueue(ok("from west"));
        try (Response response = client().newCall(post()).execute()) {
            assertThat(response.body().string()).isEqualTo("from west");
        }
        assertSentTo("east", east.takeRequest());
        assertSentTo("west", west.takeRequest());
        west.enqueue(ok("west again"));
        assertThat(enqueue(client().newCall(post())).join()).isEqualTo("west again");
        assertThat(east.getRequestCount()).isOne();
        assertThat(pool.snapshot().members())
                .extracting(member -> member.label() + " " + member.chosen())
                .containsExactly("east 1", "west 2");
    }

    @Test
    void theCallFactoryDoesSoToo() throws Exception {
        ThrottlingCallFactory calls = ThrottlingCallFactory.builder(plain, throttles)
                .pool(pool, this::to)
                .build()
                .newBuilder()
                .build();
        east.enqueue(refused(600));
        west.enqueue(ok("one"));
        west.enqueue(ok("two"));
        assertThat(enqueue(calls.newCall(post())).join()).isEqualTo("one");
        try (Response response = calls.newCall(post()).execute()) {
            assertThat(response.body().string()).isEqualTo("two");
        }
        assertSentTo("east", east.takeRequest());
        assertSentTo("west", west.takeRequest());
    }

    @Test
    void aMemberThatIsNotThereIsPassedOver() throws Exception {
        east.close();
        west.enqueue(ok("from west"));
        // Servers of OkHttp 4 may accept a connection and close it at once. So this is a request that can be sent
        // twice.
        try (Response response = client().newCall(request().build()).execute()) {
            assertThat(response.body().string()).isEqualTo("from west");
        }
    }

    @Test
    void credentialsDoNotFollowARedirectToAnotherOrigin() throws Exception {
        try (MockWebServer foreign = new MockWebServer()) {
            foreign.start(InetAddress.getLoopbackAddress(), 0);
            east.enqueue(new MockResponse.Builder()
                    .code(307)
                    .addHeader("Location", foreign.url("/elsewhere"))
                    .build());
            foreign.enqueue(ok("elsewhere"));
            try (Response response = client().newCall(request().build()).execute()) {
                assertThat(response.body().string()).isEqualTo("elsewhere");
            }
            RecordedRequest followed = foreign.takeRequest();
            assertThat(followed.getHeaders().get("api-key")).isNull();
            assertThat(followed.getHeaders().get("Authorization")).isNull();
            assertThat(followed.getHeaders().get("X-Own")).isEqualTo("stays");
        }
    }

    @Test
    void credentialsFollowARedirectWithinTheOrigin() throws Exception {
        east.enqueue(new MockResponse.Builder()
                .code(307)
                .addHeader("Location", "/v1/chat")
                .build());
        east.enqueue(ok("there"));
        try (Response response = client().newCall(request().build()).execute()) {
            assertThat(response.body().string()).isEqualTo("there");
        }
        assertSentTo("east", east.takeRequest());
        assertSentTo("east", east.takeRequest());
    }

    @Test
    void anInterceptorWithAPoolNeedsItsObserver() {
        ThrottlingInterceptor throttling =
                ThrottlingInterceptor.builder(throttles).pool(pool, this::to).build();
        assertThatThrownBy(throttling::withoutObserver)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("needs its observer()");
        assertThatThrownBy(() -> throttling.newBuilder().build().withoutObserver())
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void withoutItsObserverNothingIsSent() throws Exception {
        ThrottlingInterceptor throttling =
                ThrottlingInterceptor.builder(throttles).pool(pool, this::to).build();
        OkHttpClient client = plain.newBuilder().addInterceptor(throttling).build();
        assertThatThrownBy(() -> client.newCall(request().build()).execute())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("needs its observer()");
        assertThat(east.getRequestCount()).isZero();
        assertThat(throttles.get("east").snapshot().inFlight()).isZero();
        east.enqueue(ok("stays"));
        OkHttpClient staying = client.newBuilder().followRedirects(false).build();
        try (Response response = staying.newCall(request().build()).execute()) {
            assertThat(response.body().string()).isEqualTo("stays");
        }
    }

    @Test
    void whatTheFunctionThrowsFailsTheCallAndLosesNoPermit() {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.builder(throttles)
                .pool(pool, (request, member) -> {
                    throw new IllegalStateException("no such member");
                })
                .build();
        OkHttpClient client = plain.newBuilder()
                .addInterceptor(throttling)
                .addNetworkInterceptor(throttling.observer())
                .build();
        assertThatThrownBy(() -> client.newCall(request().build()).execute())
                .isInstanceOf(IOException.class)
                .hasRootCauseMessage("no such member");
        assertThat(throttles.get("east").snapshot().inFlight()).isZero();
    }

    @Test
    void exemptRequestsGoWhereTheyWereSent() throws Exception {
        west.enqueue(ok("direct"));
        Request direct = request()
                .url(west.url("/direct"))
                .tag(CallOptions.class, CallOptions.exempt())
                .build();
        try (Response response = client().newCall(direct).execute()) {
            assertThat(response.body().string()).isEqualTo("direct");
        }
        assertThat(west.takeRequest().getHeaders().get("api-key")).isNull();
    }

    /** On sockets: three servers of different sizes, one of which tells nothing, and no call fails. */
    @Test
    void quotasOfRealServersAreUsedSideBySide() throws Exception {
        Duration window = Duration.ofMillis(400);
        try (RateLimitedServer large =
                        RateLimitedServer.builder().window(40, window).start();
                RateLimitedServer small =
                        RateLimitedServer.builder().bucket(10, window).start();
                RateLimitedServer silent = RateLimitedServer.builder()
                        .window(10, window)
                        .headers(RateLimitedServer.Headers.NONE)
                        .start()) {
            Map<String, RateLimitedServer> servers = Map.of("large", large, "small", small, "silent", silent);
            Pool three = Pool.of(throttles, Pool.member("large"), Pool.member("small"), Pool.member("silent"));
            ThrottlingCallFactory calls = ThrottlingCallFactory.builder(plain, throttles)
                    .pool(
                            three,
                            (request, member) -> request.newBuilder()
                                    .url(servers.get(member).uri("/").toString())
                                    .build())
                    .build();
            List<CompletableFuture<String>> all = new ArrayList<>();
            for (int i = 0; i < 120; i++) {
                all.add(enqueue(calls.newCall(request().build())));
            }
            CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new)).join();
            assertThat(large.accepted() + small.accepted() + silent.accepted()).isEqualTo(120);
            assertThat(large.accepted()).isGreaterThan(small.accepted());
            assertThat(small.accepted()).isPositive();
            assertThat(silent.accepted()).isPositive();
        }
    }
}
