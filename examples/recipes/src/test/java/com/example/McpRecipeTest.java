package com.example;

import com.example.RecipeServer.Vendor;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mockwebserver3.RecordedRequest;
import org.junit.jupiter.api.Test;

class McpRecipeTest {

    private static final Pattern ID = Pattern.compile("\"id\":(\"[^\"]*\"|\\d+)");

    @Test
    void toolsAreCalled() throws Exception {
        try (Kitchen kitchen = new Kitchen(Vendor.GITHUB, McpRecipeTest::answer);
                McpSyncClient client = McpRecipe.create(kitchen.throttles, kitchen.server.url())) {
            kitchen.onAnotherThread(client::initialize);
            kitchen.tryOut("Fine.", () -> kitchen.onAnotherThread(() -> ask(client)));
            kitchen.assertKey(kitchen.server.url());
        }
    }

    private static String ask(McpSyncClient client) {
        McpSchema.CallToolResult result = client.callTool(
                McpSchema.CallToolRequest.builder("ask").arguments(Map.of()).build());
        return ((McpSchema.TextContent) result.content().get(0)).text();
    }

    /** A server that neither keeps a session nor sends anything by itself. */
    private static String answer(RecordedRequest request) {
        if (!request.getMethod().equals("POST")) {
            return null; // not allowed
        }
        String body = request.getBody().utf8();
        Matcher id = ID.matcher(body);
        if (!id.find()) {
            return ""; // a notification
        }
        String result = body.contains("\"initialize\"") ? """
                  {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                   "serverInfo": {"name": "test", "version": "1"}}
                  """ : """
                  {"content": [{"type": "text", "text": "Fine."}], "isError": false}
                  """;
        return "{\"jsonrpc\": \"2.0\", \"id\": " + id.group(1) + ", \"result\": " + result + "}";
    }
}
