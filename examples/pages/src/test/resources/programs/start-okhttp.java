// page: docs/start.md
// instead of throttle-jdkhttp: throttle-okhttp
import okhttp3.Request;
import okhttp3.Response;

public class Main {
    public static void main(String[] args) throws Exception {
        // snippet with new OkHttpClient.Builder()
        try (Response response = client.newCall(new Request.Builder().url(args[0]).build()).execute()) {
            System.out.println(response.body().string());
        }
        System.exit(0);
    }
}
