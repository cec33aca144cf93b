package dev.throttle.signal.usage;

import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** Bodies in the forms that vendors document, with made-up texts. */
final class Samples {

    static final long NOW = 1_700_000_000_000L;

    private static final String JSON = "application/json";
    private static final String EVENTS = "text/event-stream; charset=utf-8";
    /** Longer than all that is kept, with characters of several bytes, and a text about usage. */
    private static final String LONG = "Größe \\\"usage\\\": {\\\"total_tokens\\\": 999999} \\n 日本語 ".repeat(100);

    /**
     * A body.
     *
     * @param cost what it tells; null if nothing
     */
    record Sample(
            String name, String type, String body, @Nullable Cost cost) {

        byte[] bytes() {
            return body.getBytes(StandardCharsets.UTF_8);
        }

        BodyReport read() {
            return Samples.read(type, null, bytes(), 512);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private Samples() {}

    static BodyReport read(String type, @Nullable String encoding, byte[] bytes, int piece) {
        BodyTail tail = BodyTail.of(type, encoding);
        if (tail == null) {
            return BodyReport.NONE;
        }
        for (int at = 0; at < bytes.length; at += piece) {
            tail.accept(bytes, at, Math.min(piece, bytes.length - at));
        }
        return tail.finish(NOW);
    }

    static byte[] gzip(byte[] bytes) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return packed.toByteArray();
    }

    private static Cost tokens(long input, long output) {
        return Cost.of(Quota.INPUT_TOKENS, input)
                .and(Quota.OUTPUT_TOKENS, output)
                .and(Quota.TOKENS, input + output);
    }

    private static String event(String type, String data) {
        return (type.isEmpty() ? "" : "event: " + type + "\n") + "data: " + data + "\n\n";
    }

    static List<Sample> all() {
        List<Sample> all = new ArrayList<>();
        String chat =
                "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion\",\"model\":\"gpt-x\",\"choices\":[{\"index\":0,"
                        + "\"message\":{\"role\":\"assistant\",\"content\":\"%s\"},\"finish_reason\":\"stop\"}],\"usage\":{"
                        + "\"prompt_tokens\":19,\"completion_tokens\":10,\"total_tokens\":29,\"prompt_tokens_details\":{"
                        + "\"cached_tokens\":0,\"audio_tokens\":0},\"completion_tokens_details\":{\"reasoning_tokens\":4}},"
                        + "\"service_tier\":\"default\",\"system_fingerprint\":null}";
        all.add(new Sample("chat", JSON, chat.formatted("Hello"), tokens(19, 10)));
        all.add(new Sample("long chat", JSON, chat.formatted(LONG), tokens(19, 10)));
        all.add(new Sample(
                "pretty chat",
                JSON,
                "{\n  \"usage\" : {\n    \"prompt_tokens\" : 19,\n    \"completion_tokens\" : 10\n  }\n}\n",
                tokens(19, 10)));
        all.add(new Sample(
                "chat stream",
                EVENTS,
                event("", "{\"choices\":[{\"delta\":{\"content\":\"" + LONG + "\"}}],\"usage\":null}")
                                .repeat(3)
                        + event(
                                "",
                                "{\"choices\":[],\"usage\":{\"prompt_tokens\":19,\"completion_tokens\":10,"
                                        + "\"total_tokens\":29}}")
                        + "data: [DONE]\n\n",
                tokens(19, 10)));
        all.add(new Sample(
                "embeddings",
                JSON,
                "{\"data\":[{\"embedding\":[0.1,-0.2]}],\"usage\":{\"prompt_tokens\":8,\"total_tokens\":8}}",
                Cost.of(Quota.INPUT_TOKENS, 8).and(Quota.TOKENS, 8)));
        String response =
                "{\"id\":\"resp_1\",\"object\":\"response\",\"output\":[{\"type\":\"message\",\"content\":[{\"text\":"
                        + "\"%s\"}]}],\"tools\":[],\"truncation\":\"disabled\",\"usage\":{\"input_tokens\":36,"
                        + "\"input_tokens_details\":{\"cached_tokens\":0},\"output_tokens\":87,\"output_tokens_details\":{"
                        + "\"reasoning_tokens\":0},\"total_tokens\":123},\"user\":null,\"metadata\":{}}";
        all.add(new Sample("responses", JSON, response.formatted(LONG), tokens(36, 87)));
        all.add(new Sample(
                "responses stream",
                EVENTS,
                event("response.output_text.delta", "{\"delta\":\"" + LONG + "\"}")
                        + event(
                                "response.completed",
                                "{\"type\":\"response.completed\",\"response\":" + response.formatted("Hi") + "}"),
                tokens(36, 87)));
        String anthropicUsage = "{\"input_tokens\":2095,\"cache_creation_input_tokens\":5,\"cache_read_input_tokens\":"
                + "90000,\"cache_creation\":{\"ephemeral_5m_input_tokens\":5},\"output_tokens\":%d,"
                + "\"service_tier\":\"standard\"}";
        all.add(new Sample(
                "messages",
                JSON,
                "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\""
                        + LONG + "\"}],\"stop_reason\":\"end_turn\",\"usage\":" + anthropicUsage.formatted(503) + "}",
                tokens(2100, 503)));
        String start = event(
                "message_start",
                "{\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"content\":[],\"usage\":"
                        + anthropicUsage.formatted(1) + "}}");
        String end = event(
                        "message_delta",
                        "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":15}}")
                + event("message_stop", "{\"type\":\"message_stop\"}");
        String delta = event("content_block_delta", "{\"delta\":{\"type\":\"text_delta\",\"text\":\"" + LONG + "\"}}");
        all.add(new Sample("messages stream", EVENTS, start + delta + delta + end, tokens(2100, 15)));
        all.add(new Sample("short messages stream", EVENTS, start + end, tokens(2100, 15)));
        all.add(new Sample("messages stream without end", EVENTS, start, Cost.of(Quota.INPUT_TOKENS, 2100)));
        String gemini = "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"%s\"}],\"role\":\"model\"}}],"
                + "\"usageMetadata\":{\"promptTokenCount\":4,\"candidatesTokenCount\":%d,\"totalTokenCount\":%d,"
                + "\"promptTokensDetails\":[{\"modality\":\"TEXT\",\"tokenCount\":4}],\"thoughtsTokenCount\":20},"
                + "\"modelVersion\":\"gemini-x\",\"responseId\":\"r1\"}";
        all.add(new Sample("gemini", JSON, gemini.formatted(LONG, 10, 34), tokens(4, 30)));
        all.add(new Sample(
                "gemini stream",
                EVENTS,
                event("", gemini.formatted(LONG, 5, 29)) + event("", gemini.formatted("end", 10, 34)),
                tokens(4, 30)));
        all.add(new Sample(
                "gemini list",
                JSON,
                "[" + gemini.formatted(LONG, 5, 29) + ",\n" + gemini.formatted("end", 10, 34) + "]",
                tokens(4, 30)));
        all.add(new Sample(
                "ndjson",
                "application/x-ndjson",
                "{\"text\":\"" + LONG + "\"}\n{\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}\n",
                tokens(3, 4)));
        all.add(new Sample(
                "bedrock",
                JSON,
                "{\"output\":{\"message\":{}},\"usage\":{\"inputTokens\":30,\"outputTokens\":5,\"totalTokens\":35}}",
                tokens(30, 5)));
        all.add(new Sample("shopify", JSON, shopify(LONG, "46", 954), Cost.of(Quota.POINTS, 46)));
        all.add(new Sample(
                "github",
                JSON,
                "{\"data\":{\"rateLimit\":{\"cost\":3,\"limit\":5000,\"remaining\":4997,\"resetAt\":"
                        + "\"2023-11-14T22:14:20Z\"},\"viewer\":{\"bio\":\"" + LONG + "\"}}}",
                Cost.of(Quota.POINTS, 3)));
        return all;
    }

    static String shopify(String text, String actual, int available) {
        return "{\"data\":{\"shop\":{\"name\":\"" + text + "\"}},\"extensions\":{\"cost\":{\"requestedQueryCost\":101,"
                + "\"actualQueryCost\":" + actual + ",\"throttleStatus\":{\"maximumAvailable\":1000.0,"
                + "\"currentlyAvailable\":" + available + ",\"restoreRate\":50.0}}}}";
    }
}
