// page: docs/recipes/langchain4j.md
import dev.throttle.ThrottleRegistry;

public class Main {
    public static void main(String[] args) throws Exception {
        String api = args[0];
        String key = "none";
        String name = "test";
        ThrottleRegistry throttles = ThrottleRegistry.create();
        // snippet 1
        System.out.println(model.chat("How are you?"));
        streaming(throttled, api, key, name);
        System.exit(0);
    }

    static void streaming(JdkHttpClientBuilder throttled, String api, String key, String name) {
        // snippet 2
    }
}
