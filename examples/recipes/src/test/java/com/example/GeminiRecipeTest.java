package com.example;

import com.example.RecipeServer.Vendor;
import com.google.genai.Client;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GeminiRecipeTest {

    private static final String ANSWER = """
            {"candidates": [{"content": {"role": "model", "parts": [{"text": "Fine."}]}, "finishReason": "STOP"}],
             "usageMetadata": {"promptTokenCount": 19, "candidatesTokenCount": 10, "totalTokenCount": 29}}
            """;

    private final Kitchen kitchen = new Kitchen(Vendor.GEMINI, request -> ANSWER, GeminiRecipe.limits());

    @Test
    void blocking() throws Exception {
        Client client = GeminiRecipe.create(kitchen.throttles, kitchen.server.url(), "none");
        kitchen.tryOut(
                "Fine.",
                () -> client.models
                        .generateContent("gemini-test", "How are you?", null)
                        .text());
        assertKeyAndCosts();
    }

    @Test
    void async() throws Exception {
        Client client = GeminiRecipe.create(kitchen.throttles, kitchen.server.url(), "none");
        kitchen.tryOut(
                "Fine.",
                () -> kitchen.await(client.async.models.generateContent("gemini-test", "How are you?", null))
                        .text());
        assertKeyAndCosts();
    }

    private void assertKeyAndCosts() {
        kitchen.assertKey(kitchen.server.url());
        kitchen.assertCosts(
                Cost.of(Quota.INPUT_TOKENS, 19).and(Quota.OUTPUT_TOKENS, 10).and(Quota.TOKENS, 29));
    }

    @AfterEach
    void close() {
        kitchen.close();
    }
}
