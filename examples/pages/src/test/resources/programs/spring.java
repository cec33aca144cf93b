// page: docs/spring.md
// lists: 1
// import: org.springframework.boot:spring-boot-dependencies:${spring-boot.version}
// and: org.springframework.boot:spring-boot-starter-restclient
// and: org.springframework.boot:spring-boot-starter-webclient
import dev.throttle.*;
import dev.throttle.spring.*;
import dev.throttle.spring.boot.*;
import java.time.*;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.*;
import org.springframework.web.bind.annotation.*;
import org.springframework.web.client.*;
import org.springframework.web.reactive.function.client.*;
import org.springframework.web.service.annotation.*;
import reactor.core.publisher.*;

@SpringBootApplication
public class Main {
    // snippet with KeyResolver byAccount()

    public static void main(String[] args) {
        Main main = new Main();
        try (var context = new SpringApplicationBuilder(Main.class).web(WebApplicationType.NONE).run()) {
            RestClient client = context.getBean(RestClient.Builder.class).baseUrl(args[0]).build();
            System.out.println(main.statusOf(client));
            WebClient reactive = context.getBean(WebClient.Builder.class).baseUrl(args[0]).build();
            System.out.println(main.nightlyReport(reactive).block());
        }
        alone();
        System.exit(0);
    }

    // snippet with int statusOf(RestClient client)

    // snippet with nightlyReport(

    static void alone() {
        // snippet with ThrottlingRequestInterceptor.create(throttles)
    }
}
