package com.example;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import dev.throttle.ThrottleRegistry;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import java.net.http.HttpClient;

/** Anthropic's SDK. See docs/recipes/anthropic.md. */
final class AnthropicRecipe {

    private AnthropicRecipe() {}

    static AnthropicClient intercepted(ThrottleRegistry throttles, String api, String key) {
        AnthropicClient client = AnthropicOkHttpClient.builder()
                .addInterceptor(next -> new ThrottledTransport(next, throttles.get("anthropic")))
                .baseUrl(api)
                .apiKey(key)
                .maxRetries(0) // the throttle repeats what was refused
                .build();
        return client;
    }

    static AnthropicClient listenedTo(ThrottleRegistry throttles, String api, String key) {
        HttpClient throttled = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                .throttles(throttles)
                .build();
        AnthropicClient client = AnthropicOkHttpClient.builder()
                .addInterceptor(replaced -> new JdkTransport(throttled))
                .baseUrl(api)
                .apiKey(key)
                .maxRetries(0)
                .build();
        return client;
    }
}
