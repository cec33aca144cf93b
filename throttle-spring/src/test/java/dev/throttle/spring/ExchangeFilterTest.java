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
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The filter below {@link WebClient}, with a server of answers and on virtual time. */
class ExchangeFilterTest {

    private static final String KEY = "https://api.example.com:443";
    private static final URI URL = URI.create("https://api.example.com/items");

    private final VirtualTime time = new VirtualTime();
    private final ThrottleRegistry throttles = ThrottleRegistry.builder()
            .strategy(Strategies.none())
            .time(time)
            .retryAfterJitter(0, Duration.ZERO)
            .maxWait(Duration.ofMinutes(1))
            .executor(Runnable::run)
            .build();
    private final List<Mono<ClientResponse>> answers = new ArrayList<>();
    private final List<ClientRequest> sent = new ArrayList<>();
    private final List<String> drained = new ArrayList<>();
    private final WebClient client = client(ThrottlingExchangeFilter.create(throttles));

    private WebClient client(ThrottlingExchangeFilter... filters) {
        return WebClient.builder()
                .filters(list -> list.addAll(List.of(filters)))
                .exchangeFunction(request -> {
                    sent.add(request);
                    return answers.get(Math.min(sent.size(), answers.size()) - 1);
                })
                .build();
    }

    /** The names in these paths look like parts of them: only the template says that they are not. */
    @Test
    void theTemplateOfAUriIsTheRoute() {
        WebClient templates = client.mutate().baseUrl("https://api.example.com").build();
        for (String name : List.of("anna", "bert", "carl")) {
            counted(200, "users", 900);
            counted(200, "find", 900);
            assertThat(status(templates, "/users/{name}", name)).isCompletedWithValue(200);
            assertThat(status(templates, "/find/{name}", name)).isCompletedWithValue(200);
        }
        counted(429, "find", 0);
        assertThat(status(templates, "/find/{name}", "last")).isCompletedExceptionally();
        assertThat(status(templates, "/find/{name}", "dora"))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withRootCauseInstanceOf(ThrottleRejectedException.class)
                .withMessageContaining("quota find");
        assertThat(sent).hasSize(7);
        counted(200, "users", 800);
        assertThat(status(templates, "/users/{name}", "dora")).isCompletedWithValue(200);
        assertThat(throttle().snapshot().inFlight()).isZero();
    }

    private static CompletableFuture<Integer> status(WebClient client, String template, String name) {
        return client.get()
                .uri(template, name)
                .exchangeToMono(response ->
                        response.releaseBody().thenReturn(response.statusCode().value()))
                .toFuture();
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

    private Throttle throttle() {
        return throttles.get(KEY);
    }

    private static Mono<ClientResponse> answer(int status, Flux<DataBuffer> body, String... headers) {
        return Mono.fromSupplier(() -> {
            ClientResponse.Builder response = ClientResponse.create(HttpStatusCode.valueOf(status));
            for (int i = 0; i < headers.length; i += 2) {
                response.header(headers[i], headers[i + 1]);
            }
            return response.body(body).build();
        });
    }

    private void answers(int status, String text, String... headers) {
        answers.add(answer(status, body(text).doOnComplete(() -> drained.add(text)), headers));
    }

    private static Flux<DataBuffer> body(String text) {
        return Flux.fromArray(text.split("(?<=\\G.{1000})"))
                .map(part -> DefaultDataBufferFactory.sharedInstance.wrap(part.getBytes(StandardCharsets.UTF_8)));
    }

    private CompletableFuture<String> get() {
        return get(CallOptions.DEFAULT);
    }

    private CompletableFuture<String> get(CallOptions options) {
        return client.get()
                .uri(URL)
                .attributes(ThrottleAttributes.options(options))
                .exchangeToMono(response -> response.bodyToMono(String.class)
                        .map(text -> response.statusCode().value() + " " + text))
                .toFuture();
    }

    @Test
    void aThrottleThatObservesGivesTheRefusalToTheCallerAtOnce() {
        throttles.reconfigure(settings -> settings.mode(ThrottleMode.OBSERVE));
        answers(429, "later", "Retry-After", "3600");
        answers(503, "busy", "Retry-After", "3600");
        answers(200, "yes");
        assertThat(get()).isCompletedWithValue("429 later");
        assertThat(get()).isCompletedWithValue("503 busy");
        assertThat(get()).isCompletedWithValue("200 yes");
        assertThat(throttle().snapshot().blocked()).isEqualTo(Duration.ofHours(1));
        assertThat(throttles.reports())
                .singleElement()
                .satisfies(report -> assertThat(report.repeated()).isEqualTo(1));
    }

    @Test
    void aRefusedRequestIsRepeatedWhenTheServerWantsItAndNobodyIsHeldUp() {
        answers(429, "later", "Retry-After", "7");
        answers(200, "yes");
        CompletableFuture<String> result = get();
        assertThat(result).isNotDone();
        assertThat(drained).containsExactly("later"); // before the wait, so that its connection is free
        assertThat(throttle().snapshot().waiting()).isEqualTo(1);
        time.advance(Duration.ofSeconds(7).minusNanos(1));
        assertThat(sent).hasSize(1);
        time.advanceNanos(1);
        assertThat(result).isCompletedWithValue("200 yes");
        assertThat(throttle().count(Outcome.RATE_LIMITED)).isEqualTo(1);
        assertThat(throttle().count(Outcome.SUCCESS)).isEqualTo(1);
        assertThat(throttle().snapshot().inFlight()).isZero();
    }

    @Test
    void whoCancelsGivesThePlaceUp() {
        answers(429, "later", "Retry-After", "7");
        Disposable waiting =
                client.get().uri(URL).retrieve().bodyToMono(String.class).subscribe();
        assertThat(throttle().snapshot().waiting()).isEqualTo(1);
        waiting.dispose();
        assertThat(throttle().snapshot().waiting()).isZero();
        assertThat(throttle().snapshot().cancelledWaiting()).isEqualTo(1);
        time.advance(Duration.ofSeconds(7));
        assertThat(sent).hasSize(1);
    }

    @Test
    void aCancelledExchangeEndsItsPermit() {
        List<String> events = new ArrayList<>();
        answers.add(Mono.<ClientResponse>never().doOnCancel(() -> events.add("cancelled")));
        Disposable underWay =
                client.get().uri(URL).retrieve().bodyToMono(String.class).subscribe();
        assertThat(throttle().snapshot().inFlight()).isEqualTo(1);
        underWay.dispose();
        assertThat(events).containsExactly("cancelled");
        assertThat(throttle().snapshot().inFlight()).isZero();
        assertThat(throttle().count(Outcome.CANCELLED)).isEqualTo(1);
    }

    @Test
    void anExchangeThatHasDeliveredIsNotCancelled() {
        List<String> events = new ArrayList<>();
        answers.add(answer(200, body("yes")).doOnCancel(() -> events.add("cancelled")));
        assertThat(get()).isCompletedWithValue("200 yes");
        assertThat(events).isEmpty();
    }

    @Test
    void aResponseThatNobodyWantsAnyMoreIsReleased() {
        Sinks.One<ClientResponse> late = Sinks.one();
        answers.add(late.asMono().as(mono -> Mono.from(subscriber -> mono.subscribe(new Uncancellable<>(subscriber)))));
        Disposable underWay =
                client.get().uri(URL).retrieve().bodyToMono(String.class).subscribe();
        underWay.dispose();
        late.tryEmitValue(ClientResponse.create(HttpStatusCode.valueOf(200))
                .body(body("late").doOnComplete(() -> drained.add("late")))
                .build());
        assertThat(drained).containsExactly("late");
    }

    @Test
    void manyRefusalsInARowDoNotNest() {
        for (int i = 0; i < 5_000; i++) {
            answers(429, "later", "Retry-After", "0");
        }
        answers(200, "yes");
        CompletableFuture<String> result = get(CallOptions.DEFAULT.maxWait(Duration.ofDays(30_000)));
        while (!result.isDone() && time.advanceToNextTask()) {
            assertThat(sent).hasSizeLessThanOrEqualTo(5_001);
        }
        assertThat(result).isCompletedWithValue("200 yes");
    }

    @Test
    void aTooLongWaitIsTheCauseOfWhatSpringThrows() {
        answers(429, "later", "Retry-After", "3600");
        for (int i = 0; i < 2; i++) { // the first call as well as the next
            assertThatThrownBy(() -> get().get())
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOfSatisfying(WebClientRequestException.class, e -> {
                        assertThat(e.getMethod()).isEqualTo(HttpMethod.GET);
                        assertThat(e.getUri()).isEqualTo(URL);
                    })
                    .cause()
                    .isInstanceOf(ThrottleRejectedException.class);
        }
        assertThat(sent).hasSize(1);
    }

    @Test
    void aBodyThatTellsOfARefusalIsReadAndLeftWhole() {
        String secondary = "{\"message\": \"You have exceeded a secondary rate limit\"}" + " ".repeat(20_000) + "end";
        answers(403, secondary, "Content-Type", "application/json");
        answers(200, "yes");
        CompletableFuture<String> repeated = get();
        assertThat(drained).containsExactly(secondary);
        time.advance(Duration.ofMinutes(1));
        assertThat(repeated).isCompletedWithValue("200 yes");

        answers(403, secondary, "Content-Type", "application/json");
        assertThat(get(CallOptions.DEFAULT.maxAttempts(1))).isCompletedWithValue("403 " + secondary);
    }

    @Test
    void aBodyThatDoesNotComeIsNotWaitedFor() throws Exception {
        answers.add(answer(403, Flux.never(), "Content-Type", "application/json"));
        CompletableFuture<Integer> status = new CompletableFuture<>();
        client.get()
                .uri(URL)
                .exchangeToMono(response -> {
                    status.complete(response.statusCode().value());
                    return Mono.never();
                })
                .subscribe();
        assertThat(status).isNotDone();
        time.advance(Duration.ofSeconds(1));
        assertThat(status.get()).isEqualTo(403); // on another thread, as it is the caller who goes on
    }

    @Test
    void whoCancelsWhileABodyIsLookedAtEndsThatToo() {
        List<String> events = new ArrayList<>();
        answers.add(answer(
                403,
                Flux.<DataBuffer>never().doOnCancel(() -> events.add("cancelled")),
                "Content-Type",
                "application/json"));
        Disposable looking =
                client.get().uri(URL).retrieve().bodyToMono(String.class).subscribe();
        looking.dispose();
        assertThat(events).containsExactly("cancelled");
        assertThat(throttle().snapshot().inFlight()).isZero();
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
                .uri(URL.resolve("/graphql"))
                .bodyValue("{}")
                .retrieve()
                .bodyToMono(String.class)
                .block();
        assertThat(throttle().snapshot().quotas())
                .anyMatch(quota ->
                        quota.unit().equals(Quota.POINTS) && Long.valueOf(996).equals(quota.remaining()));
    }

    @Test
    void faultsAreRepeatedWhereThatDoesNoHarm() {
        answers.add(Mono.error(new WebClientRequestException(
                new SocketException("Connection reset"),
                HttpMethod.GET,
                URL,
                new org.springframework.http.HttpHeaders())));
        answers(200, "yes");
        CompletableFuture<String> result = get();
        while (!result.isDone() && time.advanceToNextTask()) {
            assertThat(sent).hasSizeLessThanOrEqualTo(2);
        }
        assertThat(result).isCompletedWithValue("200 yes");
        assertThat(throttle().count(Outcome.UNREACHABLE)).isEqualTo(1);
    }

    @Test
    void whatAFilterDoesByItselfIsLeftAlone() {
        answers.add(Mono.error(new IllegalStateException("no token")));
        assertThatThrownBy(() -> get().get()).hasCauseInstanceOf(IllegalStateException.class);
        answers.add(Mono.empty());
        assertThatThrownBy(() -> get().get())
                .hasRootCauseMessage("The underlying HTTP client completed without emitting a response.");
        assertThat(throttle().snapshot().inFlight()).isZero();
        assertThat(throttle().count(Outcome.FAILED)).isZero();
    }

    @Test
    void theCallersContextComesWithEachAttempt() {
        List<String> users = new ArrayList<>();
        WebClient aware = client.mutate()
                .filters(list -> list.add((request, next) -> Mono.deferContextual(context -> {
                    users.add(context.get("user"));
                    return next.exchange(request);
                })))
                .build();
        answers(429, "later", "Retry-After", "7");
        answers(200, "yes");
        CompletableFuture<String> result = aware.get()
                .uri(URL)
                .retrieve()
                .bodyToMono(String.class)
                .contextWrite(context -> context.put("user", "ada"))
                .toFuture();
        time.advance(Duration.ofSeconds(7));
        assertThat(result).isCompletedWithValue("yes");
        assertThat(users).containsExactly("ada", "ada"); // filters behind it run for each attempt
    }

    @Test
    void aSecondFilterOfTheSameRegistryHasNoEffect() {
        answers(200, "yes");
        client(ThrottlingExchangeFilter.create(throttles), ThrottlingExchangeFilter.create(throttles))
                .get()
                .uri(URL)
                .retrieve()
                .bodyToMono(String.class)
                .block();
        assertThat(throttle().count(Outcome.SUCCESS)).isEqualTo(1);
    }

    @Test
    void wrongOptionsAreTheCallersMistake() {
        assertThatThrownBy(() -> client.get()
                        .uri(URL)
                        .attribute(ThrottleAttributes.OPTIONS, "fast")
                        .retrieve()
                        .bodyToMono(String.class)
                        .block())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("request attribute dev.throttle.options must be a CallOptions, but was fast");
        assertThat(sent).isEmpty();
    }
}
