package com.example;

import java.net.http.HttpClient;
import com.example.RecipeServer.Vendor;
import dev.langchain4j.http.client.jdk.JdkHttpClientBuilder;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import java.util.concurrent.CompletableFuture;
import mockwebserver3.RecordedRequest;
import org.junit.jupiter.api.Test;

class LangChain4jRecipeTest {

    private static final String STREAM = """
            data: {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-test", "choices": \
            [{"index": 0, "delta": {"role": "assistant", "content": "Fine."}, "finish_reason": null}]}

            data: {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-test", "choices": \
            [{"index": 0, "delta": {}, "finish_reason": "stop"}]}

            data: {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-test", "choices": [], \
            "usage": {"prompt_tokens": 19, "completion_tokens": 10, "total_tokens": 29}}

            data: [DONE]

            """;

    @Test
    void blocking() throws Exception {
        try (Kitchen kitchen = new Kitchen(Vendor.OPENAI, request -> OpenAiRecipeTest.ANSWER)) {
            ChatModel model =
                    LangChain4jRecipe.blocking(kitchen.throttles, kitchen.server.url() + "/v1", "none", "gpt-test");
            kitchen.tryOut("Fine.", () -> model.chat("How are you?"));
            kitchen.assertKey(kitchen.server.url());
            kitchen.assertCosts(OpenAiRecipeTest.COST, "requests", "tokens");
        }
    }

    @Test
    void streaming() throws Exception {
        try (Kitchen kitchen = new Kitchen(Vendor.OPENAI, LangChain4jRecipeTest::stream)) {
            JdkHttpClientBuilder throttled = new JdkHttpClientBuilder()
                    .httpClientBuilder(ThrottlingHttpClient.newBuilder(HttpClient.newBuilder(), settings -> settings.throttles(kitchen.throttles)));
            StreamingChatModel model =
                    LangChain4jRecipe.streaming(throttled, kitchen.server.url() + "/v1", "none", "gpt-test");
            kitchen.tryOut("Fine.", () -> kitchen.await(text(model)));
            kitchen.assertKey(kitchen.server.url());
            kitchen.assertCosts(OpenAiRecipeTest.COST, "requests", "tokens");
        }
    }

    /** A stream tells its cost if it is asked to. */
    private static String stream(RecordedRequest request) {
        return request.getBody().utf8().contains("include_usage") ? STREAM : "";
    }

    private static CompletableFuture<String> text(StreamingChatModel model) {
        CompletableFuture<String> text = new CompletableFuture<>();
        model.chat("How are you?", new StreamingChatResponseHandler() {

            @Override
            public void onCompleteResponse(ChatResponse response) {
                text.complete(response.aiMessage().text());
            }

            @Override
            public void onError(Throwable error) {
                text.completeExceptionally(error);
            }
        });
        return text;
    }
}
