// page: docs/recipes/feign.md
// lists: 1
import dev.throttle.ThrottleRegistry;
import feign.RequestLine;

public class Main {
    interface Things {
        @RequestLine("GET /things")
        String things();
    }

    public static void main(String[] args) throws Exception {
        String api = args[0];
        ThrottleRegistry throttles = ThrottleRegistry.create();
        // snippet 1
        System.out.println(things.things());
        System.exit(0);
    }
}
