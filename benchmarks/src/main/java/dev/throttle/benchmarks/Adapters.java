package dev.throttle.benchmarks;

import dev.throttle.jdkhttp.ThrottlingHttpClient;
import dev.throttle.okhttp.ThrottlingInterceptor;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import okhttp3.Headers;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** What the adapters add to a request, without network: the answer is there at once. */
@State(Scope.Benchmark)
public class Adapters {

    private static final String URL = "http://api.example.com/items/42";

    /** How many of the answer's twenty headers are about limits. */
    @Param({"0", "3"})
    public int relevant;

    private final Request request = new Request.Builder().url(URL).build();
    private final HttpRequest jdkRequest =
            HttpRequest.newBuilder(URI.create(URL)).build();
    private OkHttpClient okHttpBare = new OkHttpClient();
    private OkHttpClient okHttpThrottled = okHttpBare;
    private HttpClient jdkBare = new StubClient(HttpHeaders.of(Map.of(), (name, value) -> true));
    private HttpClient jdkThrottled = jdkBare;

    /** Makes the clients. */
    @Setup
    public void prepare() {
        Headers.Builder headers = new Headers.Builder();
        Map<String, List<String>> map = new HashMap<>();
        Head.of(relevant).forEachHeader((name, value) -> {
            headers.add(name, value);
            map.computeIfAbsent(name, n -> new ArrayList<>()).add(value);
        });
        Headers built = headers.build();
        Interceptor answers = chain -> answer(chain.request(), built);
        okHttpBare = new OkHttpClient.Builder().addInterceptor(answers).build();
        okHttpThrottled = new OkHttpClient.Builder()
                .addInterceptor(ThrottlingInterceptor.create(Subjects.perKey()))
                .addInterceptor(answers)
                .build();
        jdkBare = new StubClient(HttpHeaders.of(map, (name, value) -> true));
        jdkThrottled = ThrottlingHttpClient.newBuilder(jdkBare)
                .throttles(Subjects.perKey())
                .build();
    }

    /** A response counts as the server's only if it says that it came by the network. */
    private static Response answer(Request request, Headers headers) {
        Response.Builder answer = new Response.Builder()
                .request(request)
                .protocol(Protocol.HTTP_1_1)
                .code(200)
                .message("OK")
                .headers(headers);
        return answer.networkResponse(answer.build()).body(ResponseBody.EMPTY).build();
    }

    /** OkHttp with an answer from an interceptor. */
    @Benchmark
    public int okHttpBare() throws IOException {
        return send(okHttpBare);
    }

    /** The same, throttled. */
    @Benchmark
    public int okHttpThrottled() throws IOException {
        return send(okHttpThrottled);
    }

    private int send(OkHttpClient client) throws IOException {
        try (Response response = client.newCall(request).execute()) {
            return response.code();
        }
    }

    /** A client of the JDK's kind that answers by itself. */
    @Benchmark
    public int jdkBare() throws Exception {
        return jdkBare.send(jdkRequest, BodyHandlers.discarding()).statusCode();
    }

    /** The same, throttled. */
    @Benchmark
    public int jdkThrottled() throws Exception {
        return jdkThrottled.send(jdkRequest, BodyHandlers.discarding()).statusCode();
    }
}
