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

    /** A power of two. */
    private static final int RESPONSES = 256;

    private final Request request = new Request.Builder().url(URL).build();
    private final HttpRequest jdkRequest =
            HttpRequest.newBuilder(URI.create(URL)).build();
    private final Headers[] headers = new Headers[RESPONSES];
    private final HttpHeaders[] jdkHeaders = new HttpHeaders[RESPONSES];
    /** Where the one thread is in the row of responses. */
    private int at;

    private final Interceptor answers = chain -> answer(chain.request(), headers[at++ & RESPONSES - 1]);
    private final OkHttpClient okHttpBare =
            new OkHttpClient.Builder().addInterceptor(answers).build();
    private final OkHttpClient okHttpThrottled = new OkHttpClient.Builder()
            .addInterceptor(ThrottlingInterceptor.create(Subjects.perKey()))
            .addInterceptor(answers)
            .build();
    private final HttpClient jdkBare = new StubClient(() -> jdkHeaders[at++ & RESPONSES - 1]);
    private final HttpClient jdkThrottled = ThrottlingHttpClient.newBuilder(jdkBare)
            .throttles(Subjects.perKey())
            .build();

    /** Makes the answers, which count down as a server does, far from the end. */
    @Setup
    public void prepare() {
        for (int i = 0; i < RESPONSES; i++) {
            Headers.Builder lines = new Headers.Builder();
            Map<String, List<String>> map = new HashMap<>();
            Head.of(relevant, 49_999 - i).forEachHeader((name, value) -> {
                lines.add(name, value);
                map.computeIfAbsent(name, n -> new ArrayList<>()).add(value);
            });
            headers[i] = lines.build();
            jdkHeaders[i] = HttpHeaders.of(map, (name, value) -> true);
        }
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
