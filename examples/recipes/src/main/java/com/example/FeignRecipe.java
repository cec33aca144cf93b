package com.example;

import dev.throttle.ThrottleRegistry;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import dev.throttle.okhttp.ThrottlingInterceptor;
import feign.Feign;
import feign.Request;
import feign.RequestLine;
import feign.Retryer;
import feign.http2client.Http2Client;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import okhttp3.OkHttpClient;

/** Feign. See docs/recipes/feign.md. */
final class FeignRecipe {

    private FeignRecipe() {}

    /** The API. */
    interface Things {

        @RequestLine("GET /things")
        String things();
    }

    static Things onOkHttp(ThrottleRegistry throttles, String api) {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(throttles);
        OkHttpClient client = new OkHttpClient.Builder()
                .addInterceptor(throttling)
                .addNetworkInterceptor(throttling.observer())
                .build();
        Things things = Feign.builder()
                .client(new feign.okhttp.OkHttpClient(client))
                .retryer(Retryer.NEVER_RETRY) // the throttle repeats what was refused
                .target(Things.class, api);
        return things;
    }

    static Things onJdk(ThrottleRegistry throttles, String api) {
        Duration connect = Duration.ofSeconds(10);
        HttpClient client = ThrottlingHttpClient.newBuilder(
                        HttpClient.newBuilder().connectTimeout(connect).build())
                .throttles(throttles)
                .build();
        Things things = Feign.builder()
                .client(new Http2Client(client))
                .options(new Request.Options(connect.toMillis(), TimeUnit.MILLISECONDS, 60, TimeUnit.SECONDS, false))
                .retryer(Retryer.NEVER_RETRY)
                .target(Things.class, api);
        return things;
    }
}
