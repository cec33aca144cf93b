// page: docs/recipes/feign.md
// lists: 2
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
        // snippet 2
        System.out.println(things.things());
        System.exit(0);
    }
}
