// page: docs/okhttp.md
// and: com.squareup.okhttp3:okhttp:4.12.0
import dev.throttle.ThrottleRegistry;
import dev.throttle.okhttp.ThrottlingInterceptor;
import okhttp3.Call;
import okhttp3.OkHttp;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

public class Main {
    public static void main(String[] args) throws Exception {
        if (!OkHttp.VERSION.startsWith("4.")) {
            throw new AssertionError(OkHttp.VERSION);
        }
        // snippet 1
        try (Response response = client.newCall(new Request.Builder().url(args[0]).build()).execute()) {
            System.out.println(response.body().string());
        }
        System.exit(0);
    }
}
