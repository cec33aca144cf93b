package com.example;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import dev.throttle.ThrottleRegistry;
import dev.throttle.okhttp.ThrottlingInterceptor;
import okhttp3.OkHttpClient;

/** OpenAI's SDK, whose requests are paced by what its server tells of requests and tokens. */
public final class OpenAiExample {

    private OpenAiExample() {}

    /**
     * Asks a model.
     *
     * @param args the API's address; by default a small server is started
     * @throws Exception if the API cannot be reached
     */
    public static void main(String[] args) throws Exception {
        LlmServer.with(args, api -> ask(api, ThrottleRegistry.create()));
    }

    static String ask(String api, ThrottleRegistry throttles) {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(throttles);
        OpenAIClient client = OpenAIOkHttpClient.builder()
                .okHttpClient(new OkHttpClient.Builder()
                        .addInterceptor(throttling)
                        .addNetworkInterceptor(throttling.observer())
                        .build())
                .baseUrl(api + "v1")
                .apiKey("none")
                .maxRetries(0) // the throttle repeats what was refused
                .build();
        try {
            ChatCompletion answer = client.chat()
                    .completions()
                    .create(ChatCompletionCreateParams.builder()
                            .model("gpt-test")
                            .maxCompletionTokens(100)
                            .addUserMessage("How are you?")
                            .build());
            return answer.choices().get(0).message().content().orElse("");
        } finally {
            client.close();
        }
    }
}
