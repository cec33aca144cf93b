package com.example;

import java.net.http.HttpClient;
import dev.throttle.ThrottleRegistry;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import java.time.Duration;

/** The Model Context Protocol's SDK. See docs/recipes/mcp.md. */
final class McpRecipe {

    private McpRecipe() {}

    static McpSyncClient create(ThrottleRegistry throttles, String api) {
        McpSyncClient client = McpClient.sync(HttpClientStreamableHttpTransport.builder(api)
                        .clientBuilder(ThrottlingHttpClient.newBuilder(HttpClient.newBuilder(), settings -> settings.throttles(throttles)))
                        .build())
                .requestTimeout(Duration.ofMinutes(10)) // waits included
                .initializationTimeout(Duration.ofMinutes(10))
                .build();
        return client;
    }
}
