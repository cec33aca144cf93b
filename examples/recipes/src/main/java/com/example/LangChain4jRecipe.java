package com.example;

import java.net.http.HttpClient;
import dev.langchain4j.http.client.jdk.JdkHttpClientBuilder;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import dev.throttle.ThrottleRegistry;
import dev.throttle.jdkhttp.ThrottlingHttpClient;

/** LangChain4j. See docs/recipes/langchain4j.md. */
final class LangChain4jRecipe {

    private LangChain4jRecipe() {}

    static ChatModel blocking(ThrottleRegistry throttles, String api, String key, String name) {
        JdkHttpClientBuilder throttled = new JdkHttpClientBuilder()
                .httpClientBuilder(ThrottlingHttpClient.newBuilder(HttpClient.newBuilder(), settings -> settings.throttles(throttles)));
        ChatModel model = OpenAiChatModel.builder()
                .httpClientBuilder(throttled)
                .baseUrl(api)
                .apiKey(key)
                .modelName(name)
                .maxRetries(0) // the throttle repeats what was refused
                .build();
        return model;
    }

    static StreamingChatModel streaming(JdkHttpClientBuilder throttled, String api, String key, String name) {
        StreamingChatModel model = OpenAiStreamingChatModel.builder()
                .httpClientBuilder(throttled)
                .baseUrl(api)
                .apiKey(key)
                .modelName(name)
                .build();
        return model;
    }
}
