package com.example;

import com.google.genai.Client;
import com.google.genai.types.ClientOptions;
import com.google.genai.types.HttpOptions;
import com.google.genai.types.HttpRetryOptions;
import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import dev.throttle.okhttp.ThrottlingInterceptor;
import java.time.Duration;
import java.util.List;
import okhttp3.OkHttpClient;

/** Google's SDK for Gemini. See docs/recipes/gemini.md. */
final class GeminiRecipe {

    private GeminiRecipe() {}

    static ThrottleRegistry.Builder limits() {
        ThrottleRegistry.Builder gemini = ThrottleRegistry.builder()
                .name("gemini")
                .limit(Strategies.slidingWindowLog()
                        .limit(5)
                        .window(Duration.ofMinutes(1))
                        .build())
                .limit(Strategies.tokenBucket()
                        .unit("tokens")
                        .rate(250_000, Duration.ofMinutes(1))
                        .burst(250_000)
                        .build());
        return gemini;
    }

    static Client create(ThrottleRegistry throttles, String api, String key) {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(throttles);
        Client client = Client.builder()
                .apiKey(key)
                .httpOptions(HttpOptions.builder()
                        .baseUrl(api)
                        .retryOptions(HttpRetryOptions.builder().attempts(1).httpStatusCodes(List.of()))
                        .build())
                .clientOptions(ClientOptions.builder()
                        .customHttpClient(new OkHttpClient.Builder()
                                .addInterceptor(throttling)
                                .addNetworkInterceptor(throttling.observer())
                                .build())
                        .build())
                .build();
        return client;
    }
}
