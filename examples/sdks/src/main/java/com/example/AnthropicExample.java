package com.example;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.TextBlock;
import dev.throttle.ThrottleRegistry;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import java.net.http.HttpClient;

/**
 * Anthropic's SDK, whose requests are paced by what its server tells of requests, input and output tokens. The SDK takes
 * no OkHttp client, but any transport.
 */
public final class AnthropicExample {

    private AnthropicExample() {}

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
        HttpClient throttled = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                .throttles(throttles)
                .build();
        AnthropicClient client = AnthropicOkHttpClient.builder()
                .addInterceptor(replaced -> new JdkTransport(throttled))
                .baseUrl(api)
                .apiKey("none")
                .maxRetries(0) // the throttle repeats what was refused
                .build();
        try {
            Message answer = client.messages()
                    .create(MessageCreateParams.builder()
                            .model("claude-test")
                            .maxTokens(100)
                            .addUserMessage("How are you?")
                            .build());
            return answer.content().get(0).text().map(TextBlock::text).orElse("");
        } finally {
            client.close();
        }
    }
}
