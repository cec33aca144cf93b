package com.example;

import com.openai.client.OpenAIClient;
import com.openai.client.OpenAIClientAsync;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.client.okhttp.OpenAIOkHttpClientAsync;
import dev.throttle.ThrottleRegistry;
import dev.throttle.okhttp.ThrottlingInterceptor;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;

/** OpenAI's SDK. See docs/recipes/openai.md. */
final class OpenAiRecipe {

    private OpenAiRecipe() {}

    static OpenAIClient blocking(ThrottleRegistry throttles, String api, String key) {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(throttles);
        OpenAIClient client = OpenAIOkHttpClient.builder()
                .okHttpClient(new OkHttpClient.Builder()
                        .addInterceptor(throttling)
                        .addNetworkInterceptor(throttling.observer())
                        .build())
                .baseUrl(api)
                .apiKey(key)
                .maxRetries(0) // the throttle repeats what was refused
                .build();
        return client;
    }

    static OpenAIClientAsync async(ThrottleRegistry throttles, String api, String key) {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(throttles);
        Dispatcher dispatcher = new Dispatcher();
        dispatcher.setMaxRequests(500);
        dispatcher.setMaxRequestsPerHost(500); // calls that wait count too
        OpenAIClientAsync client = OpenAIOkHttpClientAsync.builder()
                .okHttpClient(new OkHttpClient.Builder()
                        .dispatcher(dispatcher)
                        .addInterceptor(throttling)
                        .addNetworkInterceptor(throttling.observer())
                        .build())
                .baseUrl(api)
                .apiKey(key)
                .maxRetries(0)
                .build();
        return client;
    }
}
