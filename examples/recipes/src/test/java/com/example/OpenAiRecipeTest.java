package com.example;

import com.example.RecipeServer.Vendor;
import com.openai.client.OpenAIClient;
import com.openai.client.OpenAIClientAsync;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import org.junit.jupiter.api.Test;

class OpenAiRecipeTest {

    static final String ANSWER = """
            {"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-test",
             "choices": [{"index": 0, "finish_reason": "stop", "logprobs": null,
                          "message": {"role": "assistant", "content": "Fine.", "refusal": null}}],
             "usage": {"prompt_tokens": 19, "completion_tokens": 10, "total_tokens": 29}}
            """;
    static final Cost COST =
            Cost.of(Quota.INPUT_TOKENS, 19).and(Quota.OUTPUT_TOKENS, 10).and(Quota.TOKENS, 29);

    private static final ChatCompletionCreateParams QUESTION = ChatCompletionCreateParams.builder()
            .model("gpt-test")
            .maxCompletionTokens(100)
            .addUserMessage("How are you?")
            .build();

    @Test
    void blocking() throws Exception {
        try (Kitchen kitchen = new Kitchen(Vendor.OPENAI, request -> ANSWER)) {
            OpenAIClient client = OpenAiRecipe.blocking(kitchen.throttles, kitchen.server.url() + "/v1", "none");
            kitchen.tryOut("Fine.", () -> text(client.chat().completions().create(QUESTION)));
            kitchen.assertKey(kitchen.server.url());
            kitchen.assertCosts(COST, "requests", "tokens");
            client.close();
        }
    }

    @Test
    void async() throws Exception {
        try (Kitchen kitchen = new Kitchen(Vendor.OPENAI, request -> ANSWER)) {
            OpenAIClientAsync client = OpenAiRecipe.async(kitchen.throttles, kitchen.server.url() + "/v1", "none");
            kitchen.tryOut(
                    "Fine.",
                    () -> text(client.chat().completions().create(QUESTION).join()));
            kitchen.assertKey(kitchen.server.url());
            kitchen.assertCosts(COST, "requests", "tokens");
            client.close();
        }
    }

    private static String text(ChatCompletion answer) {
        return answer.choices().get(0).message().content().orElse("");
    }
}
