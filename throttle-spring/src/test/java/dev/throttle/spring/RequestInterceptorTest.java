package dev.throttle.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.ThrottleMode;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.testing.VirtualTime;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;

/** The interceptor below Spring's own clients, with a server of answers and on virtual time. */
class RequestInterceptorTest {

    private static final String KEY = "https://api.example.com:443";
    private static final URI URL = URI.create("https://api.example.com/items");

    private final VirtualTime time = VirtualTime.autoAdvancing();
    private final ThrottleRegistry throttles = ThrottleRegistry.builder()
            .strategy(Strategies.none())
            .time(time)
            .retryAfterJitter(0, Duration.ZERO)
            .maxWait(Duration.ofMinutes(1))
            .executor(Runnable::run)
            .build();
    private final ThrottlingRequestInterceptor throttling = ThrottlingRequestInterceptor.create(throttles);
    private final List<Answer> answers = new ArrayList<>();
    private final List<String> sent = new ArrayList<>();
    private final RestClient client = client();

    private Throttle throttle() {
        return throttles.get(KEY);
    }

    private RestClient client(ClientHttpRequestInterceptor... inner) {
        return RestClient.builder()
                .requestInterceptor(throttling)
                .requestInterceptors(list -> list.addAll(List.of(inner)))
                .requestFactory((uri, method) -> new MockClientHttpRequest(method, uri) {
                    @Override
                    protected ClientHttpResponse executeInternal() throws IOException {
                        sent.add(getBodyAsString());
                        return answers.get(sent.size() - 1).give();
                    }
                })
                .build();
    }

    private Answer answers(int status, String body, String... headers) {
        Answer answer = new Answer(status, body, headers);
        answers.add(answer);
        return answer;
    }

    private String get() {
        return client.get()
                .uri(URL)
                .exchange((request, response) -> response.getStatusCode().value() + " "
                        + new String(response.getBody().readAllBytes(), StandardCharsets.UTF_8));
    }

    @Test
    void aRefusedRequestIsRepeatedWithItsBodyWhenTheServerWantsIt() {
        Answer refusal = answers(429, "later", "Retry-After", "7");
        Answer accepted = answers(200, "yes");
        long before = time.nanoTime();
        String body = client.post().uri(URL).body("item").retrieve().body(String.class);
        assertThat(body).isEqualTo("yes");
        assertThat(sent).containsExactly("item", "item");
        assertThat(time.nanoTime() - before).isEqualTo(Duration.ofSeconds(7).toNanos());
        assertThat(refusal.closed).isEqualTo(1);
        assertThat(accepted.closed).isEqualTo(1);
        assertThat(throttle().count(Outcome.RATE_LIMITED)).isEqualTo(1);
        assertThat(throttle().count(Outcome.SUCCESS)).isEqualTo(1);
        assertThat(throttle().snapshot().inFlight()).isZero();
    }

    @Test
    void aThrottleThatObservesGivesTheRefusalToTheCallerAtOnce() {
        throttles.reconfigure(settings -> settings.mode(ThrottleMode.OBSERVE));
        answers(429, "later", "Retry-After", "3600");
        answers(503, "busy", "Retry-After", "3600");
        answers(200, "yes");
        long before = time.nanoTime();
        assertThat(get()).isEqualTo("429 later");
        assertThat(get()).isEqualTo("503 busy");
        assertThat(get()).isEqualTo("200 yes");
        assertThat(time.nanoTime()).isEqualTo(before);
        assertThat(throttle().snapshot().blocked()).isEqualTo(Duration.ofHours(1));
        assertThat(throttles.reports())
                .singleElement()
                .satisfies(report -> assertThat(report.repeated()).isEqualTo(1));
    }

    /** The names in these paths look like parts of them: only the template says that they are not. */
    @Test
    void theTemplateOfAUriIsTheRoute() {
        RestClient templates =
                client.mutate().baseUrl("https://api.example.com").build();
        for (String name : List.of("anna", "bert", "carl")) {
            counted(200, "users", 900);
            counted(200, "find", 900);
            templates
                    .get()
                    .uri("/users/{name}?page={page}", name, sent.size())
                    .retrieve()
                    .toBodilessEntity();
            templates.get().uri("/find/{name}", name).retrieve().toBodilessEntity();
        }
        counted(429, "find", 0);
        assertThatThrownBy(() ->
                        templates.get().uri("/find/{name}", "last").retrieve().toBodilessEntity())
                .hasRootCauseInstanceOf(ThrottleRejectedException.class);
        assertThatThrownBy(() ->
                        templates.get().uri("/find/{name}", "dora").retrieve().toBodilessEntity())
                .hasRootCauseInstanceOf(ThrottleRejectedException.class)
                .hasMessageContaining("quota find");
        assertThat(sent).hasSize(7);
        counted(200, "users", 800);
        templates.get().uri("/users/{name}?page={page}", "dora", 1).retrieve().toBodilessEntity();
        assertThat(throttle().snapshot().inFlight()).isZero();
    }

    private void counted(int status, String quota, int remaining) {
        answers(
                status,
                "",
                "X-RateLimit-Limit",
                "1000",
                "X-RateLimit-Remaining",
                Integer.toString(remaining),
                "X-RateLimit-Resource",
                quota,
                "X-RateLimit-Reset",
                "3600");
    }

    /** With Spring Framework 6.2 only the first attempt passes the interceptors behind this one. */
    @Test
    @Tag("spring7")
    void aRefusedResponseIsClosedBeforeTheWait() {
        Answer refusal = answers(429, "later", "Retry-After", "7");
        answers(200, "yes");
        List<Integer> closedWhenSent = new ArrayList<>();
        RestClient watched = client((request, body, execution) -> {
            closedWhenSent.add(refusal.closed);
            return execution.execute(request, body);
        });
        watched.get().uri(URL).retrieve().toBodilessEntity();
        assertThat(closedWhenSent).containsExactly(0, 1); // interceptors behind it run for each attempt
    }

    @Test
    void aTooLongWaitIsTheCauseOfWhatSpringThrows() {
        answers(429, "later", "Retry-After", "3600");
        for (int i = 0; i < 2; i++) { // the first call as well as the next
            assertThatThrownBy(this::get)
                    .isInstanceOf(ResourceAccessException.class)
                    .cause()
                    .isInstanceOfSatisfying(ThrottleRejectedException.class, e -> {
                        assertThat(e.label()).isEqualTo(KEY);
                        assertThat(e.neededWait()).isEqualTo(Duration.ofHours(1));
                        assertThat(e.lastStatus()).isEqualTo(429);
                    });
        }
        assertThat(sent).hasSize(1);
    }

    @Test
    @Tag("spring7")
    void aRestTemplateIsThrottledToo() {
        answers(503, "busy", "Retry-After", "2");
        answers(200, "yes");
        RestTemplate template = new RestTemplate();
        template.setInterceptors(List.of(throttling, (request, body, execution) -> {
            sent.add("");
            return answers.get(sent.size() - 1).give();
        }));
        assertThat(template.getForObject(URL, String.class)).isEqualTo("yes");
        assertThat(throttle().count(Outcome.BUSY)).isEqualTo(1);
    }

    @Test
    void theOptionsOfARequestAreHeeded() {
        answers(429, "later", "Retry-After", "7");
        answers(200, "past");
        assertThatThrownBy(() -> client.get()
                        .uri(URL)
                        .attributes(ThrottleAttributes.options(CallOptions.DEFAULT.maxWait(Duration.ofSeconds(1))))
                        .retrieve()
                        .body(String.class))
                .hasCauseInstanceOf(ThrottleRejectedException.class);
        String exempt = client.get()
                .uri(URL)
                .attributes(ThrottleAttributes.options(CallOptions.exempt()))
                .retrieve()
                .body(String.class);
        assertThat(exempt).isEqualTo("past");
        assertThat(throttle().count(Outcome.SUCCESS)).isZero();
        assertThatThrownBy(() -> client.get()
                        .uri(URL)
                        .attribute(ThrottleAttributes.OPTIONS, "fast")
                        .retrieve()
                        .toBodilessEntity())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("request attribute dev.throttle.options must be a CallOptions, but was fast");
    }

    @Test
    void aCallThatCostsMoreThanALimitGrantsIsItsCallersMistake() {
        assertThatThrownBy(() -> client.get()
                        .uri("https://limited.example.com/")
                        .attributes(ThrottleAttributes.options(CallOptions.DEFAULT.permits(5)))
                        .retrieve()
                        .toBodilessEntity())
                .isInstanceOf(IndexOutOfBoundsException.class); // without a limit it is sent
        ThrottleRegistry limited = ThrottleRegistry.builder()
                .limit(Strategies.named("token-bucket", Map.of("rate", "1/s", "burst", "1")))
                .build();
        RestClient limitedClient = RestClient.builder()
                .requestInterceptor(ThrottlingRequestInterceptor.create(limited))
                .build();
        assertThatThrownBy(() -> limitedClient
                        .get()
                        .uri("https://limited.example.com/")
                        .attributes(ThrottleAttributes.options(CallOptions.DEFAULT.permits(5)))
                        .retrieve()
                        .toBodilessEntity())
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void faultsAreRepeatedWhereThatDoesNoHarm() {
        answers.add(new Answer(new SocketException("Connection reset")));
        answers(200, "yes");
        assertThat(get()).isEqualTo("200 yes");
        assertThat(throttle().count(Outcome.UNREACHABLE)).isEqualTo(1);

        answers.add(new Answer(new SocketException("Connection reset")));
        assertThatThrownBy(() -> client.post().uri(URL).body("item").retrieve().toBodilessEntity())
                .isInstanceOf(ResourceAccessException.class)
                .hasRootCauseInstanceOf(SocketException.class);
        assertThat(sent).hasSize(3);
    }

    @Test
    void whatAnInterceptorThrowsIsNoFaultOfTheServer() {
        RestClient failing = client((request, body, execution) -> {
            throw new IllegalStateException("no token");
        });
        assertThatThrownBy(() -> failing.get().uri(URL).retrieve().toBodilessEntity())
                .isInstanceOf(IllegalStateException.class);
        assertThat(throttle().count(Outcome.FAILED)).isZero();
        assertThat(throttle().snapshot().inFlight()).isZero();
    }

    @Test
    void aBodyThatTellsOfARefusalIsReadAndLeftWhole() {
        String secondary = "{\"message\": \"You have exceeded a secondary rate limit\"}" + " ".repeat(10_000) + "end";
        Answer refusal = answers(403, secondary, "Content-Type", "application/json");
        answers(200, "yes");
        assertThat(get()).isEqualTo("200 yes"); // after the minute that GitHub asks for
        assertThat(refusal.closed).isEqualTo(1);
        answers(403, secondary, "Content-Type", "application/json");
        String body = client.get()
                .uri(URL)
                .attributes(ThrottleAttributes.options(CallOptions.DEFAULT.maxAttempts(1)))
                .exchange((request, response) -> new String(response.getBody().readAllBytes(), StandardCharsets.UTF_8));
        assertThat(body).isEqualTo(secondary);
    }

    @Test
    void aBodyThatDoesNotComeIsNotWaitedFor() {
        Answer refusal = new Answer(403, "", "Content-Type", "application/json");
        refusal.stalls = true;
        answers.add(refusal);
        assertThat(client.get()
                        .uri(URL)
                        .<Integer>exchange(
                                (request, response) -> response.getStatusCode().value()))
                .isEqualTo(403);
    }

    @Test
    void theEndOfABodyTellsOfTheCost() {
        answers(
                200,
                "{\"data\":{},\"extensions\":{\"cost\":{\"requestedQueryCost\":10,\"actualQueryCost\":4,"
                        + "\"throttleStatus\":{\"maximumAvailable\":1000,\"currentlyAvailable\":996,\"restoreRate\":50}}}}",
                "Content-Type",
                "application/json");
        client.post()
                .uri("https://api.example.com/graphql.json")
                .contentType(MediaType.APPLICATION_JSON)
                .body("{}")
                .retrieve()
                .body(String.class);
        assertThat(throttle().snapshot().quotas())
                .anyMatch(quota ->
                        quota.unit().equals(Quota.POINTS) && Long.valueOf(996).equals(quota.remaining()));
    }

    @Test
    void aSecondInterceptorOfTheSameRegistryHasNoEffect() {
        answers(200, "yes");
        client(ThrottlingRequestInterceptor.create(throttles))
                .get()
                .uri(URL)
                .retrieve()
                .toBodilessEntity();
        assertThat(throttle().count(Outcome.SUCCESS)).isEqualTo(1);
    }

    @Test
    void anInterruptEndsTheWait() {
        answers(429, "later", "Retry-After", "7");
        client.get()
                .uri(URL)
                .attributes(ThrottleAttributes.options(CallOptions.DEFAULT.maxAttempts(1)))
                .exchange((request, response) -> "");
        Thread.currentThread().interrupt();
        assertThatThrownBy(this::get)
                .isInstanceOf(ResourceAccessException.class)
                .cause()
                .isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(throttle().snapshot().waiting()).isZero();
    }

    /** What the server answers to one request. */
    private static final class Answer {

        private final int status;
        private final String body;
        private final String[] headers;
        private IOException failure;
        private boolean stalls;
        private int closed;

        Answer(int status, String body, String... headers) {
            this.status = status;
            this.body = body;
            this.headers = headers;
        }

        Answer(IOException failure) {
            this(0, "");
            this.failure = failure;
        }

        ClientHttpResponse give() throws IOException {
            if (failure != null) {
                throw failure;
            }
            MockClientHttpResponse response =
                    new MockClientHttpResponse(body.getBytes(StandardCharsets.UTF_8), HttpStatusCode.valueOf(status)) {
                        @Override
                        public InputStream getBody() throws IOException {
                            return stalls ? new StalledBody() : super.getBody();
                        }

                        @Override
                        public void close() {
                            closed++;
                        }
                    };
            HttpHeaders target = response.getHeaders();
            for (int i = 0; i < headers.length; i += 2) {
                target.add(headers[i], headers[i + 1]);
            }
            return response;
        }
    }
}
