package com.example;

import dev.throttle.ThrottleRegistry;
import dev.throttle.okhttp.ThrottlingInterceptor;
import dev.throttle.signal.BodyClassifier;
import java.io.IOException;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** GraphQL, whose servers count points. See docs/recipes/graphql.md. */
final class GraphQlRecipe {

    static final String GITHUB_QUERY = """
            {"query": "{ viewer { login } rateLimit { cost limit remaining resetAt } }"}
            """;

    private GraphQlRecipe() {}

    static OkHttpClient create(ThrottleRegistry throttles) {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.builder(throttles)
                .bodyClassifier(BodyClassifier.standard().or(BodyClassifier.graphQl()))
                .build();
        OkHttpClient client = new OkHttpClient.Builder()
                .addInterceptor(throttling)
                .addNetworkInterceptor(throttling.observer())
                .build();
        return client;
    }

    static String ask(OkHttpClient client, String api, String query) throws IOException {
        Request request = new Request.Builder()
                .url(api + "/graphql")
                .post(RequestBody.create(query, MediaType.get("application/json")))
                .build();
        try (Response response = client.newCall(request).execute()) {
            return response.body().string();
        }
    }

    static OkHttpClient besideRest(ThrottleRegistry throttles) {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.builder(throttles)
                .keyResolver(request -> request.url().encodedPath().equals("/graphql") ? "graphql" : "rest")
                .bodyClassifier(BodyClassifier.standard().or(BodyClassifier.graphQl()))
                .build();
        return new OkHttpClient.Builder()
                .addInterceptor(throttling)
                .addNetworkInterceptor(throttling.observer())
                .build();
    }
}
