package com.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.example.RecipeServer.Vendor;
import com.openai.client.OpenAIClient;
import com.openai.client.OpenAIClientAsync;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import dev.throttle.Pool;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import mockwebserver3.RecordedRequest;
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

    @Test
    void azureAndOpenAiInOnePool() throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        try (Kitchen azure = new Kitchen(Vendor.OPENAI, request -> note(seen, request));
                RecipeServer openAi = azure.another(Vendor.OPENAI, request -> note(seen, request))) {
            Map<String, OpenAIClient> deployments = Map.of(
                    "azure-eastus", OpenAiRecipe.deployment(azure.server.url() + "/east/v1", "east"),
                    "azure-westus", OpenAiRecipe.deployment(azure.server.url() + "/west/v1", "west"),
                    "openai", OpenAiRecipe.deployment(openAi.url() + "/v1", "paid"));
            Pool pool = OpenAiRecipe.pool(azure.throttles);
            for (int i = 0; i < 12; i++) {
                assertEquals("Fine.", text(OpenAiRecipe.ask(pool, deployments, QUESTION)));
            }
            assertTrue(seen.contains("/east/v1/chat/completions Bearer east"), seen::toString);
            assertTrue(seen.contains("/west/v1/chat/completions Bearer west"), seen::toString);
            assertTrue(seen.contains("/v1/chat/completions Bearer paid"), seen::toString);
            assertEquals(12, azure.server.accepted() + openAi.accepted());
            deployments.values().forEach(OpenAIClient::close);
        }
    }

    private static String note(List<String> seen, RecordedRequest request) {
        seen.add(request.getTarget() + " " + request.getHeaders().get("Authorization"));
        return ANSWER;
    }

    private static String text(ChatCompletion answer) {
        return answer.choices().get(0).message().content().orElse("");
    }
}
