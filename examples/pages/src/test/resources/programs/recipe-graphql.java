// page: docs/recipes/graphql.md
import dev.throttle.ThrottleRegistry;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

public class Main {
    public static void main(String[] args) throws Exception {
        ThrottleRegistry throttles = ThrottleRegistry.create();
        besideRest(throttles);
        // snippet 1
        Request request = new Request.Builder()
                .url(args[0] + "/graphql")
                .post(RequestBody.create("{\"query\": \"{ shop { name } }\"}", MediaType.get("application/json")))
                .build();
        try (Response response = client.newCall(request).execute()) {
            System.out.println(response.body().string());
        }
        System.exit(0);
    }

    static void besideRest(ThrottleRegistry throttles) {
        // snippet 2
    }
}
