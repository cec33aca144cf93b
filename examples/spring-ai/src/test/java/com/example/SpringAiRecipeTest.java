package com.example;

import dev.throttle.control.ControllerHost;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.openai.errors.OpenAIIoException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import dev.throttle.spring.boot.ThrottleCustomizer;
import dev.throttle.testing.VirtualTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** An application whose server refuses the first request, and then accepts five in a minute of virtual time. */
class SpringAiRecipeTest {

    private static final int LIMIT = 5;
    private static final int CALLS = 12;
    private static final byte[] ANSWER = """
            {"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-test",
             "choices": [{"index": 0, "finish_reason": "stop", "logprobs": null,
                          "message": {"role": "assistant", "content": "Fine.", "refusal": null}}],
             "usage": {"prompt_tokens": 19, "completion_tokens": 10, "total_tokens": 29}}
            """.getBytes(StandardCharsets.UTF_8);

    private final VirtualTime time = VirtualTime.autoAdvancing();
    private final List<Cost> settled = new CopyOnWriteArrayList<>();
    private final HttpServer server;
    private long staysAwayUntil = -1;
    private long windowEnd;
    private int used;
    private int accepted;
    private int refused;

    SpringAiRecipeTest() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    @Test
    void aChatModelIsThrottled() {
        try (var context = start()) {
            ChatModel model = context.getBean(ChatModel.class);
            for (int i = 0; i < CALLS; i++) {
                assertEquals("Fine.", model.call("How are you?"));
            }
            Throttle throttle = context.getBean(ThrottleRegistry.class).getIfPresent(url());
            assertEquals(CALLS, accepted);
            assertEquals(1, refused);
            assertEquals(CALLS, throttle.count(Outcome.SUCCESS));
            assertEquals(1, throttle.count(Outcome.RATE_LIMITED));
            assertTrue(time.nanoTime() > 120_000_000_000L);
            assertEquals(
                    List.of(Cost.of(Quota.INPUT_TOKENS, 19)
                            .and(Quota.OUTPUT_TOKENS, 10)
                            .and(Quota.TOKENS, 29)),
                    settled.stream().distinct().toList());
        }
    }

    @Test
    void nobodyElseRepeats() {
        try (var context = start("throttle.max-wait=0s")) {
            ChatModel model = context.getBean(ChatModel.class);
            Throwable failure = assertThrows(OpenAIIoException.class, () -> model.call("How are you?"));
            while (failure.getCause() != null && !(failure instanceof ThrottleRejectedException)) {
                failure = failure.getCause();
            }
            assertInstanceOf(ThrottleRejectedException.class, failure);
            assertEquals(1, refused);
        }
    }

    private ConfigurableApplicationContext start(String... properties) {
        return new SpringApplicationBuilder(SpringAiApplication.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .properties("spring.ai.openai.base-url=" + url() + "/v1", "spring.ai.openai.api-key=none")
                .properties(properties)
                .initializers(context -> ((GenericApplicationContext) context)
                        .registerBean(ThrottleCustomizer.class, () -> this::onVirtualTime))
                .run();
    }

    private void onVirtualTime(ThrottleRegistry.Builder builder) {
        builder.time(time).limit(new Noting());
    }

    private String url() {
        return "http://localhost:" + server.getAddress().getPort();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            long now = time.currentTimeMillis();
            if (now >= windowEnd) {
                windowEnd = now + 60_000;
                used = 0;
            }
            boolean isRefused = staysAwayUntil < 0 || now < staysAwayUntil || used == LIMIT;
            if (isRefused) {
                refused++;
                staysAwayUntil = now + 7_000;
                exchange.getResponseHeaders().set("Retry-After", "7");
            } else {
                accepted++;
                used++;
            }
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            tell(exchange, "requests", LIMIT, LIMIT - used, windowEnd - now);
            tell(exchange, "tokens", 30_000, 29_971, 58);
            exchange.sendResponseHeaders(isRefused ? 429 : 200, isRefused ? -1 : ANSWER.length);
            if (!isRefused) {
                exchange.getResponseBody().write(ANSWER);
            }
        }
    }

    private static void tell(HttpExchange exchange, String unit, long limit, long remaining, long resetMillis) {
        exchange.getResponseHeaders().set("x-ratelimit-limit-" + unit, String.valueOf(limit));
        exchange.getResponseHeaders().set("x-ratelimit-remaining-" + unit, String.valueOf(remaining));
        exchange.getResponseHeaders().set("x-ratelimit-reset-" + unit, resetMillis + "ms");
    }

    /** Lets everybody go, and writes down what calls have cost. */
    private final class Noting implements Strategy {

        @Override
        public String name() {
            return "noting";
        }

        @Override
        public RateController newController(ControllerHost host) {
            return new RateController() {
                @Override
                public boolean isIdle() {
                    return true;
                }

                @Override
                public long dueNanos(Cost ahead, Cost cost, long now) {
                    return now;
                }

                @Override
                public void onAdmitted(Cost cost, long permitId, long now) {}

                @Override
                public void onSettled(Cost admitted, Cost actual, long permitId, long admittedAt, long now) {
                    settled.add(actual);
                }
            };
        }
    }
}
