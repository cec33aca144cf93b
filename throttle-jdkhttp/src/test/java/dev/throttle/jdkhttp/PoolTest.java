package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.throttle.Pool;
import dev.throttle.ThrottleRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client whose requests go to the members of a pool, each with an origin and credentials of its own. */
class PoolTest {

    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final ThrottleRegistry throttles = ThrottleRegistry.create();
    private final Pool pool =
            Pool.of(throttles, Pool.member("east"), Pool.member("west").tier(2));
    private HttpServer east;
    private HttpServer west;
    private volatile boolean isEastFull = true;

    @BeforeEach
    void start() throws IOException {
        east = server("east");
        west = server("west");
    }

    @AfterEach
    void stop() {
        east.stop(0);
        west.stop(0);
    }

    private HttpServer server(String name) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String key = exchange.getRequestHeaders().getFirst("api-key");
            seen.add(name + " " + exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + key);
            exchange.getRequestBody().readAllBytes();
            boolean isRefused = name.equals("east") && isEastFull;
            if (isRefused) {
                exchange.getResponseHeaders().set("Retry-After", "600");
            }
            byte[] body = ("from " + name).getBytes(java.nio.charset.StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(isRefused ? 429 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        return server;
    }

    private HttpRequest to(HttpRequest request, String member) {
        int port = (member.equals("east") ? east : west).getAddress().getPort();
        URI uri = URI.create("http://127.0.0.1:" + port + request.uri().getRawPath());
        return HttpRequest.newBuilder(request, (name, value) -> true)
                .uri(uri)
                .setHeader("api-key", "key of " + member)
                .build();
    }

    private ThrottlingHttpClient client() {
        return ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                .throttles(throttles)
                .pool(pool, this::to)
                .build();
    }

    private static HttpRequest post() {
        return HttpRequest.newBuilder(URI.create("http://pool.invalid/v1/chat"))
                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                .build();
    }

    @Test
    void aPoolOfAnotherRegistryIsRefused() {
        ThrottleRegistry other = ThrottleRegistry.create();
        assertThatThrownBy(() -> ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                        .throttles(other)
                        .pool(pool, this::to)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("pool must be a pool of the registry of this client, but was Pool[pool, 2 members]");
    }

    @Test
    void aRefusedRequestGoesToAnotherMemberWithItsCredentials() throws Exception {
        HttpResponse<String> response = client().send(post(), BodyHandlers.ofString());
        assertThat(response.body()).isEqualTo("from west");
        assertThat(seen).containsExactly("east POST /v1/chat key of east", "west POST /v1/chat key of west");
    }

    @Test
    void anAsynchronousOneToo() {
        HttpResponse<String> response =
                client().sendAsync(post(), BodyHandlers.ofString()).join();
        assertThat(response.body()).isEqualTo("from west");
        isEastFull = false;
        assertThat(client().sendAsync(post(), BodyHandlers.ofString()).join().body())
                .isEqualTo("from west"); // east has named ten minutes
        assertThat(seen)
                .containsExactly(
                        "east POST /v1/chat key of east",
                        "west POST /v1/chat key of west",
                        "west POST /v1/chat key of west");
    }

    @Test
    void aMemberThatIsNotThereIsPassedOver() throws Exception {
        int port = east.getAddress().getPort();
        east.stop(0);
        assertThat(port).isPositive();
        assertThat(client().send(post(), BodyHandlers.ofString()).body()).isEqualTo("from west");
    }

    @Test
    void aClientThatFollowsRedirectsIsRefused() {
        HttpClient following = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NORMAL)
                .build();
        assertThatThrownBy(() -> ThrottlingHttpClient.newBuilder(following)
                        .throttles(throttles)
                        .pool(pool, this::to)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("followRedirects of the wrapped client must be NEVER with a pool, so that no redirect takes"
                        + " the credentials of a member to another origin, but was NORMAL");
        assertThatThrownBy(() -> ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                        .pool(pool, this::to)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("throttles must be the registry of the members of the pool, but was not set");
    }

    @Test
    void whatTheFunctionThrowsFailsTheCallAndLosesNoPermit() {
        ThrottlingHttpClient client = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                .throttles(throttles)
                .pool(pool, (request, member) -> {
                    throw new IllegalStateException("no such member");
                })
                .build();
        assertThatThrownBy(() -> client.send(post(), BodyHandlers.ofString())).hasMessage("no such member");
        assertThatThrownBy(
                        () -> client.sendAsync(post(), BodyHandlers.ofString()).join())
                .hasStackTraceContaining("no such member");
        assertThat(throttles.get("east").snapshot().inFlight()).isZero();
        assertThat(seen).isEmpty();
    }
}
