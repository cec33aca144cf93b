// page: docs/recipes/retrofit.md
import dev.throttle.CallOptions;
import dev.throttle.ThrottleRegistry;
import okhttp3.ResponseBody;
import retrofit2.Call;
import retrofit2.http.GET;
import retrofit2.http.Tag;

public class Main {
    interface Things {
        @GET("things")
        Call<ResponseBody> things();

        // snippet 2
    }

    public static void main(String[] args) throws Exception {
        String api = args[0];
        ThrottleRegistry throttles = ThrottleRegistry.create();
        // snippet 1
        System.out.println(things.things().execute().body().string());
        // snippet 3
        System.out.println(export.execute().body().string());
        System.exit(0);
    }
}
