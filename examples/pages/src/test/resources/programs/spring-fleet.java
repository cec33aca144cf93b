// page: docs/spring.md
// import: org.springframework.boot:spring-boot-dependencies:${spring-boot.version}
// and: org.springframework.boot:spring-boot-starter-restclient
// needs: redis
import dev.throttle.lease.Fleet;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.web.client.RestClient;

@SpringBootApplication
public class Main {
    public static void main(String[] args) {
        try (var context = new SpringApplicationBuilder(Main.class)
                .web(WebApplicationType.NONE)
                .properties("throttle.fleet.name=shop", "throttle.fleet.limits[0].permits=1000")
                .properties("spring.data.redis.url=" + args[1])
                .run()) {
            RestClient client = context.getBean(RestClient.Builder.class).baseUrl(args[0]).build();
            System.out.println(client.get().uri("/").retrieve().body(String.class));
            if (context.getBeansOfType(Fleet.class).isEmpty()) {
                throw new AssertionError("no fleet");
            }
        }
        System.exit(0);
    }
}
