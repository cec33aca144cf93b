package com.example;

import dev.throttle.CallOptions;
import dev.throttle.ThrottleRegistry;
import dev.throttle.okhttp.ThrottlingCallFactory;
import java.util.concurrent.CompletableFuture;
import okhttp3.OkHttpClient;
import okhttp3.ResponseBody;
import retrofit2.Call;
import retrofit2.Retrofit;
import retrofit2.http.GET;
import retrofit2.http.Tag;

/** Retrofit. See docs/recipes/retrofit.md. */
final class RetrofitRecipe {

    private RetrofitRecipe() {}

    /** The API. */
    interface Things {

        @GET("things")
        Call<ResponseBody> things();

        @GET("things")
        CompletableFuture<ResponseBody> thingsAsync();

        @GET("export")
        Call<ResponseBody> export(@Tag CallOptions options);
    }

    static Things create(ThrottleRegistry throttles, String api) {
        Retrofit retrofit = new Retrofit.Builder()
                .baseUrl(api)
                .callFactory(ThrottlingCallFactory.builder(new OkHttpClient(), throttles)
                        .build())
                .build();
        Things things = retrofit.create(Things.class);
        return things;
    }

    static Call<ResponseBody> export(Things things) {
        Call<ResponseBody> export = things.export(CallOptions.DEFAULT.permits(5));
        return export;
    }
}
