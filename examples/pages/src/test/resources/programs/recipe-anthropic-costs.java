// page: docs/recipes/anthropic.md
// file: examples/recipes/src/main/java/com/example/JdkTransport.java
import com.anthropic.models.messages.MessageCreateParams;
import dev.throttle.ThrottleRegistry;

public class Main {
    public static void main(String[] args) throws Exception {
        String api = args[0];
        String key = "none";
        ThrottleRegistry throttles = ThrottleRegistry.create();
        // snippet 3
        System.out.println(client.messages().create(MessageCreateParams.builder()
                .model("test")
                .maxTokens(100)
                .addUserMessage("How are you?")
                .build()));
        System.exit(0);
    }
}
