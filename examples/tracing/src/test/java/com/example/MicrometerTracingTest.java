package com.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import dev.throttle.micrometer.PropagatedContext;
import dev.throttle.micrometer.ThrottleObservations;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.java11.instrument.binder.jdk.MicrometerHttpClient;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** With Micrometer Tracing each attempt and each wait of a throttled call is a span, and a child of the caller's. */
class MicrometerTracingTest {

    private final InMemorySpanExporter spans = InMemorySpanExporter.create();
    private final ObservationRegistry observations = ObservationRegistry.create();
    private final OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build())
            .build();

    private void trace() {
        io.opentelemetry.api.trace.Tracer tracer = telemetry.getTracer("test");
        OtelTracer bridge = new OtelTracer(tracer, new OtelCurrentTraceContext(), event -> {});
        observations
                .observationConfig()
                .observationHandler(new io.micrometer.observation.ObservationHandler.FirstMatchingCompositeObservationHandler(
                        new PropagatingSenderTracingObservationHandler<>(
                                bridge, new OtelPropagator(telemetry.getPropagators(), tracer)),
                        new DefaultTracingObservationHandler(bridge)));
    }

    private SpanData span(String name) {
        return spans(name).get(0);
    }

    private List<SpanData> spans(String name) {
        return spans.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(name))
                .toList();
    }

    @Test
    void attemptsAndWaitsAreChildrenOfTheCallersSpan() throws Exception {
        trace();
        ContextRegistry known =
                new ContextRegistry().registerThreadLocalAccessor(new ObservationThreadLocalAccessor(observations));
        ThrottleRegistry throttles = ThrottleRegistry.builder()
                .name("api")
                .context(PropagatedContext.capture(
                        ContextSnapshotFactory.builder().contextRegistry(known).build()))
                .listener(new ThrottleObservations(observations))
                .build();
        try (RefusingServer server = new RefusingServer()) {
            HttpClient observed = MicrometerHttpClient.instrumentationBuilder(
                            HttpClient.newHttpClient(), new SimpleMeterRegistry())
                    .observationRegistry(observations)
                    .build();
            HttpClient client =
                    ThrottlingHttpClient.newBuilder(observed).throttles(throttles).build();
            Throttle throttle = throttles.get("http://localhost:" + server.uri().getPort());
            throttle.pause();
            CompletableFuture<Integer> status = Observation.createNotStarted("caller", observations)
                    .observe(() -> client.sendAsync(
                                    HttpRequest.newBuilder(server.uri()).build(), BodyHandlers.ofString())
                            .thenApply(response -> response.statusCode()));
            assertThat(spans.getFinishedSpanItems()).hasSize(1); // the caller's, which has not waited for its call
            throttle.resume();
            assertThat(status.get(30, TimeUnit.SECONDS)).isEqualTo(200);
        }
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> spans("HTTP GET").size() == 3);
        String caller = span("caller").getSpanId();
        assertThat(spans("HTTP GET")).hasSize(3).allSatisfy(attempt -> assertThat(attempt.getParentSpanId())
                .isEqualTo(caller));
        // The first wait is for the pause. Before a repetition there is one, unless the time is over already.
        List<SpanData> waits = spans("throttle.wait");
        assertThat(waits).hasSizeBetween(1, 3).allSatisfy(wait -> {
            assertThat(wait.getParentSpanId()).isEqualTo(caller);
            assertThat(attribute(wait, "throttle.name")).isEqualTo("api");
            assertThat(attribute(wait, "throttle.outcome")).isEqualTo("admitted");
            assertThat(attribute(wait, "throttle.key")).startsWith("http://localhost:");
            assertThat(attribute(wait, "throttle.wait_ms")).isNotNull();
        });
        assertThat(attribute(waits.get(0), "throttle.reason")).isEqualTo("paused");
    }

    private static String attribute(SpanData span, String name) {
        return span.getAttributes().get(AttributeKey.stringKey(name));
    }
}
