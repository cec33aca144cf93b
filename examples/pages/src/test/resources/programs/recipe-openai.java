// page: docs/recipes/openai.md
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import dev.throttle.ThrottleRegistry;

public class Main {
    static final ChatCompletionCreateParams QUESTION = ChatCompletionCreateParams.builder()
            .model("test")
            .addUserMessage("How are you?")
            .build();

    public static void main(String[] args) throws Exception {
        ThrottleRegistry throttles = ThrottleRegistry.create();
        blocking(throttles, args[0], "none");
        async(throttles, args[0], "none");
        System.exit(0);
    }

    static void blocking(ThrottleRegistry throttles, String api, String key) {
        // snippet 1
        System.out.println(client.chat().completions().create(QUESTION));
    }

    static void async(ThrottleRegistry throttles, String api, String key) {
        // snippet 2
        System.out.println(client.chat().completions().create(QUESTION).join());
    }
}
