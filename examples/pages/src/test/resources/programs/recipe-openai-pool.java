// page: docs/recipes/openai.md
import com.openai.client.OpenAIClient;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import dev.throttle.ThrottleRegistry;
import java.util.Map;

public class Main {
    public static void main(String[] args) throws Exception {
        ThrottleRegistry throttles = ThrottleRegistry.create();
        OpenAIClient one = deployment(args[0] + "/east/v1", "none");
        OpenAIClient two = deployment(args[0] + "/west/v1", "none");
        ask(throttles, Map.of("azure-eastus", one, "azure-westus", two, "openai", one));
        System.exit(0);
    }

    static OpenAIClient deployment(String address, String key) {
        // snippet 3
        return deployment;
    }

    static void ask(ThrottleRegistry throttles, Map<String, OpenAIClient> deployments) throws Exception {
        ChatCompletionCreateParams question = ChatCompletionCreateParams.builder()
                .model("test")
                .addUserMessage("How are you?")
                .build();
        // snippet 4
        // snippet 5
        System.out.println(answer);
    }
}
