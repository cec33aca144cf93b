// page: README.md
import dev.throttle.Throttle;
import okhttp3.Request;
import okhttp3.Response;

public class Main {
    public static void main(String[] args) throws Exception {
        // snippet 1
        try (Response response = client.newCall(new Request.Builder().url(args[0]).build()).execute()) {
            System.out.println(response.body().string());
        }
        core();
        System.exit(0); // OkHttp's threads
    }

    static String callTheApi() {
        return "from anywhere";
    }

    static void core() throws Exception {
        // snippet 3
        System.out.println(answer);
    }
}
