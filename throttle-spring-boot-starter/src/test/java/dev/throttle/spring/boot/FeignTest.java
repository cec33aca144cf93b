package dev.throttle.spring.boot;

import static dev.throttle.spring.boot.ScriptedServer.answer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.ThrottleRegistry;
import dev.throttle.client.Origin;
import dev.throttle.signal.Outcome;
import feign.Feign;
import feign.RequestLine;
import feign.http2client.Http2Client;
import java.net.http.HttpClient;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Feign on the application's client of the JDK. It makes a client of its own where its options are others. */
class FeignTest {

    interface Things {

        @RequestLine("GET /things")
        String things();
    }

    @Test
    void feignWithItsOwnOptionsIsThrottled() throws Exception {
        try (ScriptedServer server = new ScriptedServer(answer("200 OK", "yes"))) {
            new ApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(ThrottleAutoConfiguration.class))
                    .run(context -> {
                        Things things = Feign.builder()
                                .client(new Http2Client(context.getBean(HttpClient.class)))
                                .target(Things.class, server.uri().resolve("/").toString());
                        assertThat(things.things()).isEqualTo("yes");
                        assertThat(context.getBean(ThrottleRegistry.class)
                                        .get(Origin.of(server.uri()))
                                        .count(Outcome.SUCCESS))
                                .isEqualTo(1);
                    });
        }
    }
}
