package com.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.ContextCapture;
import dev.throttle.ThrottleRegistry;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import dev.throttle.okhttp.ThrottlingCallFactory;
import dev.throttle.okhttp.ThrottlingInterceptor;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.instrumentation.api.semconv.http.HttpClientRequestResendCount;
import io.opentelemetry.instrumentation.javahttpclient.JavaHttpClientTelemetry;
import io.opentelemetry.instrumentation.okhttp.v3_0.OkHttpTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every attempt of a throttled call is a span of its own, a child of the caller's, and says how often it was sent before. */
class OpenTelemetryTest {

    private static final AttributeKey<Long> RESEND_COUNT = AttributeKey.longKey("http.request.resend_count");
    private static final AttributeKey<Long> STATUS = AttributeKey.longKey("http.response.status_code");

    /** All attempts of a call see one count. */
    private static final ContextCapture CONTEXT =
            () -> HttpClientRequestResendCount.initialize(Context.current())::wrap;

    private final InMemorySpanExporter spans = InMemorySpanExporter.create();
    private final OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build())
            .build();
    private final Tracer tracer = telemetry.getTracer("test");
    private final Span caller = tracer.spanBuilder("caller").startSpan();
    private RefusingServer server;

    @BeforeEach
    void start() throws IOException {
        server = new RefusingServer();
    }

    @AfterEach
    void stop() {
        server.close();
        telemetry.close();
    }

    private void assertThreeAttempts(boolean areCounted) {
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> spans.getFinishedSpanItems().size() == 3);
        List<SpanData> attempts = spans.getFinishedSpanItems().stream()
                .sorted(Comparator.comparingLong(SpanData::getStartEpochNanos))
                .toList();
        assertThat(attempts).allSatisfy(attempt -> {
            assertThat(attempt.getKind()).isEqualTo(SpanKind.CLIENT);
            assertThat(attempt.getTraceId()).isEqualTo(caller.getSpanContext().getTraceId());
            assertThat(attempt.getParentSpanId()).isEqualTo(caller.getSpanContext().getSpanId());
        });
        if (areCounted) {
            assertThat(attempts)
                    .extracting(attempt -> attempt.getAttributes().get(STATUS))
                    .containsExactly(429L, 429L, 200L);
            assertThat(attempts)
                    .extracting(attempt -> attempt.getAttributes().get(RESEND_COUNT))
                    .containsExactly(null, 1L, 2L);
        }
    }

    private int enqueue(Call.Factory calls) {
        CompletableFuture<Integer> status = new CompletableFuture<>();
        Request request = new Request.Builder().url(server.uri().toString()).build();
        try (Scope scope = caller.makeCurrent()) {
            calls.newCall(request).enqueue(new Callback() {
                @Override
                public void onResponse(Call call, Response response) {
                    response.close();
                    status.complete(response.code());
                }

                @Override
                public void onFailure(Call call, IOException e) {
                    status.completeExceptionally(e);
                }
            });
        }
        return status.orTimeout(30, TimeUnit.SECONDS).join();
    }

    @Test
    void okHttpsInterceptorUnderOpenTelemetrysLibrary() {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(ThrottleRegistry.create());
        OkHttpClient client = new OkHttpClient.Builder()
                .addInterceptor(throttling)
                .addNetworkInterceptor(throttling.observer())
                .build();
        assertThat(enqueue(OkHttpTelemetry.create(telemetry).newCallFactory(client)))
                .isEqualTo(200);
        assertThreeAttempts(true);
    }

    @Test
    void okHttpsCallFactoryAroundAnInterceptorThatTraces() {
        OkHttpClient client = new OkHttpClient.Builder()
                .addInterceptor(chain -> {
                    Span attempt = tracer.spanBuilder("GET").setSpanKind(SpanKind.CLIENT).startSpan();
                    try (Scope scope = attempt.makeCurrent()) {
                        return chain.proceed(chain.request());
                    } finally {
                        attempt.end();
                    }
                })
                .build();
        ThrottleRegistry throttles = ThrottleRegistry.builder().context(CONTEXT).build();
        assertThat(enqueue(ThrottlingCallFactory.create(client, throttles))).isEqualTo(200);
        assertThreeAttempts(false);
    }

    private HttpClient jdk(ThrottleRegistry throttles) {
        HttpClient traced = JavaHttpClientTelemetry.create(telemetry).newHttpClient(HttpClient.newHttpClient());
        return ThrottlingHttpClient.newBuilder(traced).throttles(throttles).build();
    }

    @Test
    void theJdksClientAsynchronously() {
        HttpClient client = jdk(ThrottleRegistry.builder().context(CONTEXT).build());
        CompletableFuture<String> traceOfDependent;
        try (Scope scope = caller.makeCurrent()) {
            traceOfDependent = client.sendAsync(
                            HttpRequest.newBuilder(server.uri()).build(), BodyHandlers.ofString())
                    .thenApply(response -> Span.current().getSpanContext().getSpanId());
        }
        assertThat(traceOfDependent.orTimeout(30, TimeUnit.SECONDS).join())
                .isEqualTo(caller.getSpanContext().getSpanId());
        assertThreeAttempts(true);
    }

    @Test
    void theJdksClientBlocking() throws Exception {
        HttpClient client = jdk(ThrottleRegistry.builder().context(CONTEXT).build());
        try (Scope scope = caller.makeCurrent()) {
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            assertThat(client.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
        }
        assertThreeAttempts(true);
    }
}
