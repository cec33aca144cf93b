package com.example;

import com.openai.client.OpenAIClient;
import com.openai.client.OpenAIClientAsync;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.client.okhttp.OpenAIOkHttpClientAsync;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import dev.throttle.Pool;
import dev.throttle.ThrottleRegistry;
import dev.throttle.okhttp.ThrottlingInterceptor;
import java.util.Map;
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

    static OpenAIClient deployment(String address, String key) {
        OpenAIClient deployment = OpenAIOkHttpClient.builder()
                .baseUrl(address)
                .apiKey(key)
                .maxRetries(0) // the pool repeats what was refused
                .build();
        return deployment;
    }

    static Pool pool(ThrottleRegistry throttles) {
        Pool pool = Pool.builder(throttles)
                .name("gpt-4o")
                .members(
                        Pool.member("azure-eastus"),
                        Pool.member("azure-westus"),
                        Pool.member("openai").tier(2)) // paid per token: what Azure cannot take
                .build();
        return pool;
    }

    static ChatCompletion ask(Pool pool, Map<String, OpenAIClient> deployments, ChatCompletionCreateParams question)
            throws Exception {
        ChatCompletion answer = pool.execute(member -> deployments
                        .get(member)
                        .chat()
                        .completions()
                        .withRawResponse() // so that the headers are read
                        .create(question))
                .parse();
        return answer;
    }
}
