package com.example;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;

/** A little API that speaks like both: it refuses the first request for 0.2 s, and tells what the others cost. */
final class LlmServer {

    private static final String OPENAI =
            """
            {"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-test",
             "choices": [{"index": 0, "finish_reason": "stop", "logprobs": null,
                          "message": {"role": "assistant", "content": "Fine.", "refusal": null}}],
             "usage": {"prompt_tokens": 19, "completion_tokens": 10, "total_tokens": 29}}
            """;

    private static final String ANTHROPIC =
            """
            {"id": "1", "type": "message", "role": "assistant", "model": "claude-test",
             "content": [{"type": "text", "text": "Fine.", "citations": null}],
             "stop_reason": "end_turn", "stop_sequence": null,
             "usage": {"input_tokens": 19, "output_tokens": 10}}
            """;

    private LlmServer() {}

    /** Runs an example on the address in the arguments or, without one, on a server of its own. */
    static void with(String[] args, Example example) throws Exception {
        System.out.println(args.length > 0 ? example.run(args[0]) : onOwnServer(example));
    }

    static String onOwnServer(Example example) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        AtomicBoolean hasRefused = new AtomicBoolean();
        server.createContext("/v1/chat/completions", exchange -> answer(exchange, hasRefused, "", OPENAI));
        server.createContext("/v1/messages", exchange -> answer(exchange, hasRefused, "anthropic-", ANTHROPIC));
        server.start();
        try {
            return example.run("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        } finally {
            server.stop(0);
        }
    }

    private static void answer(HttpExchange exchange, AtomicBoolean hasRefused, String vendor, String text)
            throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            if (hasRefused.compareAndSet(false, true)) {
                exchange.getResponseHeaders().set("retry-after-ms", "200");
                exchange.sendResponseHeaders(429, -1);
                return;
            }
            byte[] body = text.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            if (vendor.isEmpty()) {
                exchange.getResponseHeaders().set("x-ratelimit-limit-tokens", "30000");
                exchange.getResponseHeaders().set("x-ratelimit-remaining-tokens", "29971");
                exchange.getResponseHeaders().set("x-ratelimit-reset-tokens", "3ms");
            } else {
                exchange.getResponseHeaders().set("anthropic-ratelimit-output-tokens-limit", "8000");
                exchange.getResponseHeaders().set("anthropic-ratelimit-output-tokens-remaining", "7990");
            }
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    /** An example: calls the API and returns what it has to show. */
    interface Example {
        String run(String api) throws Exception;
    }
}
