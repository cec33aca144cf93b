package dev.throttle.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.throttle.Pool;
import dev.throttle.ThrottleRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.http.client.support.HttpRequestWrapper;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.WebClient;

/** Spring's clients, whose requests go to the members of a pool. */
class PoolTest {

    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final ThrottleRegistry throttles = ThrottleRegistry.create();
    private final Pool pool =
            Pool.of(throttles, Pool.member("east"), Pool.member("west").tier(2));
    private HttpServer east;
    private HttpServer west;

    @BeforeEach
    void start() throws IOException {
        east = server("east", 429);
        west = server("west", 200);
    }

    @AfterEach
    void stop() {
        east.stop(0);
        west.stop(0);
    }

    private HttpServer server(String name, int status) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            seen.add(name + " " + exchange.getRequestURI() + " "
                    + exchange.getRequestHeaders().getFirst("api-key"));
            exchange.getRequestBody().readAllBytes();
            exchange.getResponseHeaders().set("Retry-After", "600");
            byte[] body = ("from " + name).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        return server;
    }

    private URI uriOf(String member, URI uri) {
        int port = (member.equals("east") ? east : west).getAddress().getPort();
        return URI.create("http://127.0.0.1:" + port + uri.getRawPath());
    }

    @Test
    void aPoolOfAnotherRegistryIsRefused() {
        ThrottleRegistry other = ThrottleRegistry.create();
        assertThatThrownBy(() -> ThrottlingRequestInterceptor.create(other, pool, (request, member) -> request))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("pool must be a pool of the registry of this client, but was Pool[pool, 2 members]");
    }

    @Test
    void aRestClientDoes() {
        ThrottlingRequestInterceptor throttling =
                ThrottlingRequestInterceptor.create(throttles, pool, (request, member) -> toMember(request, member));
        RestClient client = RestClient.builder()
                .requestFactory(new JdkClientHttpRequestFactory())
                .requestInterceptor(throttling)
                .build();
        String body = client.post()
                .uri("http://pool.invalid/v1/chat")
                .body("{}")
                .retrieve()
                .body(String.class);
        assertThat(body).isEqualTo("from west");
        assertThat(seen).containsExactly("east /v1/chat key of east", "west /v1/chat key of west");
    }

    private HttpRequest toMember(HttpRequest request, String member) {
        HttpHeaders headers = new HttpHeaders();
        request.getHeaders().forEach(headers::addAll);
        headers.set("api-key", "key of " + member);
        return new HttpRequestWrapper(request) {
            @Override
            public URI getURI() {
                return uriOf(member, request.getURI());
            }

            @Override
            public HttpHeaders getHeaders() {
                return headers;
            }
        };
    }

    @Test
    void aWebClientDoes() {
        ThrottlingExchangeFilter throttling = ThrottlingExchangeFilter.create(
                throttles,
                pool,
                (request, member) -> ClientRequest.from(request)
                        .url(uriOf(member, request.url()))
                        .headers(headers -> headers.set("api-key", "key of " + member))
                        .build());
        WebClient client = WebClient.builder()
                .clientConnector(new JdkClientHttpConnector())
                .filter(throttling)
                .build();
        String body = client.post()
                .uri("http://pool.invalid/v1/chat")
                .bodyValue("{}")
                .retrieve()
                .bodyToMono(String.class)
                .block();
        assertThat(body).isEqualTo("from west");
        assertThat(seen).containsExactly("east /v1/chat key of east", "west /v1/chat key of west");
    }
}
