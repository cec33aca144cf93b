// page: docs/recipes/gemini.md
import dev.throttle.ThrottleRegistry;

public class Main {
    public static void main(String[] args) throws Exception {
        String api = args[0];
        String key = "none";
        ThrottleRegistry throttles = limits().build();
        // snippet 1
        System.out.println(client.models.generateContent("test", "How are you?", null).text());
        System.exit(0);
    }

    static ThrottleRegistry.Builder limits() {
        // snippet 2
        return gemini;
    }
}
