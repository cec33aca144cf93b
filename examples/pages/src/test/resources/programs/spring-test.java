// page: docs/spring.md
// lists: 1
// import: org.springframework.boot:spring-boot-dependencies:${spring-boot.version}
// and: org.springframework.boot:spring-boot-starter-restclient
// and: dev.throttle:throttle-testing
import dev.throttle.testing.*;
import dev.throttle.time.*;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.*;
import org.springframework.web.client.*;

@SpringBootApplication
public class Main {
    // snippet with VirtualTime time()

    public static void main(String[] args) {
        try (var context = new SpringApplicationBuilder(Main.class).web(WebApplicationType.NONE).run()) {
            RestClient client = context.getBean(RestClient.Builder.class).baseUrl(args[0]).build();
            System.out.println(client.get().retrieve().body(String.class));
            if (context.getBean(TimeSource.class) != context.getBean(VirtualTime.class)) {
                throw new AssertionError("the throttles live by another time");
            }
        }
        System.exit(0);
    }
}
