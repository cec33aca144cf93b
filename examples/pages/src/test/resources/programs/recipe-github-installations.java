// page: docs/recipes/github.md
import dev.throttle.ThrottleRegistry;
import java.util.List;
import java.util.function.Function;

public class Main {
    public static void main(String[] args) throws Exception {
        ThrottleRegistry throttles = ThrottleRegistry.create();
        String api = args[0];
        List<String> installations = List.of("acme", "umbrella");
        Function<String, String> tokens = installation -> "none";
        // snippet 3
        System.out.println(github.getRepository("cook/served").getName());
        System.exit(0);
    }
}
