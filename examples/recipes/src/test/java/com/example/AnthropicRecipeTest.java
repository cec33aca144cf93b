package com.example;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.errors.AnthropicIoException;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.TextBlock;
import com.example.RecipeServer.Vendor;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import java.net.http.HttpClient;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AnthropicRecipeTest {

    private static final String ANSWER = """
            {"id": "1", "type": "message", "role": "assistant", "model": "claude-test",
             "content": [{"type": "text", "text": "Fine.", "citations": null}],
             "stop_reason": "end_turn", "stop_sequence": null,
             "usage": {"input_tokens": 19, "output_tokens": 10}}
            """;

    private static final MessageCreateParams QUESTION = MessageCreateParams.builder()
            .model("claude-test")
            .maxTokens(100)
            .addUserMessage("How are you?")
            .build();

    private final Kitchen kitchen = new Kitchen(Vendor.ANTHROPIC, request -> ANSWER);

    @Test
    void intercepted() throws Exception {
        AnthropicClient client = AnthropicRecipe.intercepted(kitchen.throttles, kitchen.server.url(), "none");
        kitchen.tryOut("Fine.", () -> text(client.messages().create(QUESTION)));
        kitchen.assertKey("anthropic");
        client.close();
    }

    @Test
    void interceptedAsync() throws Exception {
        AnthropicClient client = AnthropicRecipe.intercepted(kitchen.throttles, kitchen.server.url(), "none");
        kitchen.tryOut(
                "Fine.", () -> text(kitchen.await(client.async().messages().create(QUESTION))));
        kitchen.assertKey("anthropic");
        client.close();
    }

    @Test
    void listenedTo() throws Exception {
        AnthropicClient client = AnthropicRecipe.listenedTo(kitchen.throttles, kitchen.server.url(), "none");
        kitchen.tryOut("Fine.", () -> text(client.messages().create(QUESTION)));
        assertKeyAndCosts();
        client.close();
    }

    @Test
    void listenedToAsync() throws Exception {
        AnthropicClient client = AnthropicRecipe.listenedTo(kitchen.throttles, kitchen.server.url(), "none");
        kitchen.tryOut(
                "Fine.", () -> text(kitchen.await(client.async().messages().create(QUESTION))));
        assertKeyAndCosts();
        client.close();
    }

    @Test
    void aFailedRequestIsOneOfTheSdksExceptions() {
        JdkTransport transport = new JdkTransport(HttpClient.newHttpClient());
        AnthropicClient client = AnthropicOkHttpClient.builder()
                .addInterceptor(replaced -> transport)
                .baseUrl("http://localhost:1") // nobody is there
                .apiKey("none")
                .maxRetries(0)
                .build();
        assertThrows(
                AnthropicIoException.class, () -> client.messages().create(QUESTION));
        CompletionException failure = assertThrows(
                CompletionException.class,
                () -> client.async().messages().create(QUESTION).join());
        assertInstanceOf(AnthropicIoException.class, failure.getCause());
        client.close();
    }

    @AfterEach
    void close() {
        kitchen.close();
    }

    private void assertKeyAndCosts() {
        kitchen.assertKey(kitchen.server.url());
        Cost cost = Cost.of(Quota.INPUT_TOKENS, 19).and(Quota.OUTPUT_TOKENS, 10).and(Quota.TOKENS, 29);
        kitchen.assertCosts(cost, "output-tokens", "requests");
    }

    private static String text(Message answer) {
        return answer.content().get(0).text().map(TextBlock::text).orElse("");
    }
}
