// page: docs/recipes/mcp.md
import dev.throttle.ThrottleRegistry;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.Map;

public class Main {
    public static void main(String[] args) throws Exception {
        String api = args[0];
        ThrottleRegistry throttles = ThrottleRegistry.create();
        // snippet 1
        client.initialize();
        System.out.println(client.callTool(
                McpSchema.CallToolRequest.builder("ask").arguments(Map.of()).build()));
        System.exit(0);
    }
}
