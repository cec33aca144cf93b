package dev.throttle.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.client.Origin;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import dev.throttle.okhttp.ThrottlingInterceptor;
import dev.throttle.signal.Outcome;
import dev.throttle.spring.ThrottlingExchangeFilter;
import dev.throttle.spring.ThrottlingRequestInterceptor;
import dev.throttle.testing.RateLimitedServer;
import feign.Feign;
import feign.RequestLine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.AbstractClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * One throttled client above another one, whichever they are. With one registry the outer one leads, and the inner one
 * is not there; with two there is one warning.
 */
@ExtendWith(OutputCaptureExtension.class)
class LayersTest {

    private static final int CALLS = 11;
    private static final String WARNING = "two sets of throttles with the same key";

    /** Sends a request to a path, below a URL. */
    interface Client {
        void call(String path) throws Exception;
    }

    interface Things {
        @RequestLine("GET /items?page=1&name=a'b")
        String items();
    }

    /** Makes a client of two layers, with the registry of the outer and that of the inner one. */
    interface Layers {
        Client over(URI url, ThrottleRegistry outer, ThrottleRegistry inner);
    }

    private static OkHttpClient okHttp(ThrottleRegistry throttles) {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(throttles);
        return new OkHttpClient.Builder()
                .addInterceptor(throttling)
                .addNetworkInterceptor(throttling.observer())
                .build();
    }

    private static HttpClient jdk(ThrottleRegistry throttles) {
        return ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                .throttles(throttles)
                .build();
    }

    private static Client restClient(URI url, ThrottleRegistry outer, ClientHttpRequestFactory factory) {
        RestClient client = RestClient.builder()
                .baseUrl(url.toString())
                .requestFactory(factory)
                .requestInterceptor(ThrottlingRequestInterceptor.create(outer))
                .build();
        return path -> client.get().uri(URI.create(url + path)).retrieve().toBodilessEntity();
    }

    private static Client webClient(URI url, ThrottleRegistry outer, ThrottleRegistry inner) {
        WebClient client = WebClient.builder()
                .clientConnector(new JdkClientHttpConnector(jdk(inner)))
                .filter(ThrottlingExchangeFilter.create(outer))
                .build();
        return path -> client.post()
                .uri(URI.create(url + path))
                .bodyValue("body")
                .retrieve()
                .toBodilessEntity()
                .block();
    }

    private static Client feign(URI url, ThrottleRegistry outer, ThrottleRegistry inner) {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(inner);
        OkHttpClient client = okHttp(outer)
                .newBuilder()
                .addInterceptor(throttling)
                .addNetworkInterceptor(throttling.observer())
                .build();
        Things things =
                Feign.builder().client(new feign.okhttp.OkHttpClient(client)).target(Things.class, url.toString());
        return path -> things.items();
    }

    /** What OkHttp's dispatcher sends, on a thread of its own. */
    private static BiFunction<Call.Factory, Request, Response> enqueued() {
        return (factory, request) -> {
            CompletableFuture<Response> answer = new CompletableFuture<>();
            factory.newCall(request).enqueue(new Callback() {
                @Override
                public void onFailure(Call call, IOException e) {
                    answer.completeExceptionally(e);
                }

                @Override
                public void onResponse(Call call, Response response) {
                    answer.complete(response);
                }
            });
            return answer.join();
        };
    }

    private static BiFunction<Call.Factory, Request, Response> executed() {
        return (factory, request) -> {
            try {
                return factory.newCall(request).execute();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        };
    }

    private static Arguments named(String name, Layers layers) {
        return Arguments.of(name, layers);
    }

    static Stream<Arguments> layers() {
        return Stream.of(
                named(
                        "RestClient over ThrottlingHttpClient",
                        (url, outer, inner) -> restClient(url, outer, new JdkClientHttpRequestFactory(jdk(inner)))),
                named(
                        "RestClient over OkHttp with ThrottlingInterceptor",
                        (url, outer, inner) -> restClient(url, outer, new OkHttpRequests(okHttp(inner), executed()))),
                named(
                        "RestClient over ThrottlingCallFactory, executed",
                        (url, outer, inner) -> restClient(
                                url,
                                outer,
                                new OkHttpRequests(
                                        ThrottlingInterceptor.create(inner).callFactory(okHttp(inner)), executed()))),
                named(
                        "RestClient over ThrottlingCallFactory, enqueued",
                        (url, outer, inner) -> restClient(
                                url,
                                outer,
                                new OkHttpRequests(
                                        ThrottlingInterceptor.create(inner).callFactory(okHttp(inner)), enqueued()))),
                named("WebClient over the connector of the JDK's client", LayersTest::webClient),
                named("ThrottlingHttpClient over ThrottlingHttpClient", (url, outer, inner) -> {
                    HttpClient client = ThrottlingHttpClient.newBuilder(jdk(inner))
                            .throttles(outer)
                            .build();
                    return restClient(url, outer, new JdkClientHttpRequestFactory(client));
                }),
                named("Feign over OkHttp", LayersTest::feign));
    }

    private static long count(ThrottleRegistry throttles, URI url) {
        Throttle throttle = throttles.getIfPresent(Origin.of(url));
        return throttle == null ? 0 : throttle.count(Outcome.SUCCESS);
    }

    private static void call(Client client) throws Exception {
        for (int i = 0; i < CALLS; i++) {
            client.call("/items?page=" + i + "&name=a'b");
        }
    }

    /** Calls that waited for themselves would have their answers after seconds only. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("layers")
    void withOneRegistryEachRequestCountsOnceAndWaitsForNothing(String name, Layers layers, CapturedOutput output)
            throws Exception {
        try (RateLimitedServer server =
                RateLimitedServer.builder().window(100, Duration.ofMinutes(1)).start()) {
            URI url = server.uri("");
            ThrottleRegistry throttles =
                    ThrottleRegistry.builder().maxWait(Duration.ofSeconds(2)).build();
            call(layers.over(url, throttles, throttles));
            assertThat(server.accepted()).isEqualTo(CALLS);
            assertThat(count(throttles, url)).isEqualTo(CALLS);
            assertThat(throttles.get(Origin.of(url)).snapshot().inFlight()).isZero();
            assertThat(output).doesNotContain(WARNING);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("layers")
    void withTwoRegistriesThereIsOneWarning(String name, Layers layers, CapturedOutput output) throws Exception {
        try (RateLimitedServer server =
                RateLimitedServer.builder().window(100, Duration.ofMinutes(1)).start()) {
            URI url = server.uri("");
            ThrottleRegistry outer = ThrottleRegistry.create();
            ThrottleRegistry inner = ThrottleRegistry.create();
            call(layers.over(url, outer, inner));
            assertThat(count(outer, url)).isEqualTo(CALLS);
            assertThat(count(inner, url)).isEqualTo(CALLS);
            assertThat(output.getAll()).containsOnlyOnce(WARNING);
        }
    }

    /** Not every request that a thread sends meanwhile is the same one. */
    @Test
    void aRequestForATokenIsThrottledOnItsOwn() throws Exception {
        try (RateLimitedServer server =
                RateLimitedServer.builder().window(100, Duration.ofMinutes(1)).start()) {
            URI url = server.uri("");
            ThrottleRegistry throttles = ThrottleRegistry.create();
            RestClient tokens = RestClient.builder()
                    .requestFactory(new JdkClientHttpRequestFactory(jdk(throttles)))
                    .build();
            RestClient client = RestClient.builder()
                    .requestFactory(new JdkClientHttpRequestFactory(jdk(throttles)))
                    .requestInterceptor(ThrottlingRequestInterceptor.create(throttles))
                    .requestInterceptor((request, body, execution) -> {
                        tokens.get().uri(URI.create(url + "/token")).retrieve().toBodilessEntity();
                        return execution.execute(request, body);
                    })
                    .build();
            // The first answer tells the quota, so that the request for a token need not wait for another one's.
            tokens.get().uri(URI.create(url + "/first")).retrieve().toBodilessEntity();
            client.get().uri(URI.create(url + "/items")).retrieve().toBodilessEntity();
            assertThat(server.accepted()).isEqualTo(3);
            assertThat(count(throttles, url)).isEqualTo(3);
        }
    }

    /** OkHttp below Spring, which no longer brings it. */
    private record OkHttpRequests(Call.Factory calls, BiFunction<Call.Factory, Request, Response> sender)
            implements ClientHttpRequestFactory {

        @Override
        public AbstractClientHttpRequest createRequest(URI uri, HttpMethod method) {
            return new AbstractClientHttpRequest() {
                @Override
                public HttpMethod getMethod() {
                    return method;
                }

                @Override
                public URI getURI() {
                    return uri;
                }

                @Override
                protected OutputStream getBodyInternal(HttpHeaders headers) {
                    return new ByteArrayOutputStream();
                }

                @Override
                protected ClientHttpResponse executeInternal(HttpHeaders headers) {
                    Request request = new Request.Builder().url(uri.toString()).build();
                    return new OkHttpResponse(sender.apply(calls, request));
                }
            };
        }
    }

    private record OkHttpResponse(Response response) implements ClientHttpResponse {

        @Override
        public HttpStatusCode getStatusCode() {
            return HttpStatusCode.valueOf(response.code());
        }

        @Override
        public String getStatusText() {
            return response.message();
        }

        @Override
        public HttpHeaders getHeaders() {
            HttpHeaders headers = new HttpHeaders();
            response.headers().toMultimap().forEach(headers::addAll);
            return headers;
        }

        @Override
        public InputStream getBody() {
            return response.body().byteStream();
        }

        @Override
        public void close() {
            response.close();
        }
    }
}
