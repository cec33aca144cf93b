package dev.throttle.examples;

import dev.throttle.ThrottleRegistry;
import dev.throttle.okhttp.ThrottlingInterceptor;
import java.io.IOException;
import java.net.URI;
import okhttp3.OkHttpClient;
import okhttp3.ResponseBody;
import retrofit2.Call;
import retrofit2.Response;
import retrofit2.Retrofit;
import retrofit2.http.GET;
import retrofit2.http.Path;

/** Retrofit over a throttled OkHttp client. */
public final class RetrofitExample {

    private RetrofitExample() {}

    /** The API as Retrofit wants it described. */
    interface Items {
        @GET("items/{id}")
        Call<ResponseBody> item(@Path("id") int id);
    }

    /**
     * Calls an API.
     *
     * @param args the API's address; by default a small server is started
     * @throws Exception if the API cannot be reached
     */
    public static void main(String[] args) throws Exception {
        ExampleServer.with(args, RetrofitExample::run);
    }

    static String run(URI api) throws IOException {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(ThrottleRegistry.create());
        OkHttpClient client = new OkHttpClient.Builder()
                .addInterceptor(throttling)
                .addNetworkInterceptor(throttling.observer())
                .build();
        Items items = new Retrofit.Builder()
                .baseUrl(api.toString())
                .client(client)
                .build()
                .create(Items.class);
        Response<ResponseBody> response = items.item(42).execute();
        try (ResponseBody body = response.body()) {
            return body == null ? "" : body.string();
        }
    }
}
