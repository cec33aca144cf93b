package dev.throttle.examples;

import dev.throttle.jdkhttp.ThrottlingHttpClient;
import java.net.URI;
import java.net.http.HttpClient;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/** Spring's {@code RestClient} over a throttled JDK client. */
public final class SpringRestClientExample {

    private SpringRestClientExample() {}

    /**
     * Calls an API.
     *
     * @param args the API's address; by default a small server is started
     * @throws Exception if the API cannot be reached
     */
    public static void main(String[] args) throws Exception {
        ExampleServer.with(args, SpringRestClientExample::run);
    }

    static String run(URI api) {
        HttpClient throttled = ThrottlingHttpClient.newHttpClient();
        RestClient client = RestClient.builder()
                .baseUrl(api)
                .requestFactory(new JdkClientHttpRequestFactory(throttled))
                .build();
        String body = client.get().uri("items/{id}", 42).retrieve().body(String.class);
        return body == null ? "" : body;
    }
}
