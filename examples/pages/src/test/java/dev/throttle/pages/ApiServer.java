package dev.throttle.pages;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An API that refuses the first request, with a {@code Retry-After} of a second, and then says what each SDK expects.
 */
final class ApiServer implements AutoCloseable {

    private static final int OK = 200;
    private static final int ACCEPTED = 202;
    private static final int NOT_ALLOWED = 405;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final Pattern ID = Pattern.compile("\"id\":(\"[^\"]*\"|\\d+)");

    private final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final AtomicInteger requests = new AtomicInteger();

    ApiServer() throws IOException {
        server.setExecutor(executor);
        server.createContext("/", this::answer);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** {@return how many requests came, the refused one included} */
    int requests() {
        return requests.get();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String request = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            int status = OK;
            String answer = "";
            if (requests.incrementAndGet() == 1) {
                status = TOO_MANY_REQUESTS;
                exchange.getResponseHeaders().set("Retry-After", "1");
            } else if (exchange.getRequestURI().getPath().endsWith("/mcp")) {
                Matcher id = ID.matcher(request);
                status = exchange.getRequestMethod().equals("POST") ? id.find() ? OK : ACCEPTED : NOT_ALLOWED;
                answer = status == OK ? mcp(request, id.group(1)) : "";
            } else {
                answer = answer(exchange.getRequestURI().getPath());
            }
            byte[] body = answer.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private static String answer(String path) {
        if (path.endsWith("/chat/completions")) {
            return """
                    {"id": "1", "object": "chat.completion", "created": 1, "model": "test",
                     "choices": [{"index": 0, "finish_reason": "stop", "logprobs": null,
                                  "message": {"role": "assistant", "content": "served", "refusal": null}}],
                     "usage": {"prompt_tokens": 19, "completion_tokens": 10, "total_tokens": 29}}
                    """;
        }
        if (path.endsWith("/messages")) {
            return """
                    {"id": "1", "type": "message", "role": "assistant", "model": "test",
                     "content": [{"type": "text", "text": "served", "citations": null}],
                     "stop_reason": "end_turn", "stop_sequence": null,
                     "usage": {"input_tokens": 19, "output_tokens": 10}}
                    """;
        }
        if (path.endsWith(":generateContent")) {
            return """
                    {"candidates": [{"content": {"role": "model", "parts": [{"text": "served"}]}, "finishReason": "STOP"}],
                     "usageMetadata": {"promptTokenCount": 19, "candidatesTokenCount": 10, "totalTokenCount": 29}}
                    """;
        }
        if (path.startsWith("/repos/")) {
            return "{\"id\": 1, \"name\": \"served\", \"full_name\": \"cook/served\"}";
        }
        return "served";
    }

    private static String mcp(String request, String id) {
        String result = request.contains("\"initialize\"")
                ? "{\"protocolVersion\": \"2025-06-18\", \"capabilities\": {\"tools\": {}},"
                        + " \"serverInfo\": {\"name\": \"test\", \"version\": \"1\"}}"
                : "{\"content\": [{\"type\": \"text\", \"text\": \"served\"}], \"isError\": false}";
        return "{\"jsonrpc\": \"2.0\", \"id\": " + id + ", \"result\": " + result + "}";
    }

    @Override
    public void close() {
        server.stop(0);
        executor.shutdownNow();
    }
}
