package dev.throttle.reality.maven;

import dev.throttle.reality.Product;
import io.github.resilience4j.ratelimiter.RequestNotPermitted;
import io.github.resilience4j.ratelimiter.annotation.RateLimiter;
import java.util.List;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Resilience4j's annotation on a controller of Spring MVC; what it does not permit is answered with 429. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(Resilience4jApplication.Backend.class)
public class Resilience4jApplication {

    /**
     * Runs it.
     *
     * @param args the port, 0, and properties of the instance named {@code backend}
     */
    public static void main(String[] args) {
        SpringApplications.run(
                Resilience4jApplication.class,
                WebApplicationType.SERVLET,
                args[0],
                List.of(args).subList(2, args.length));
    }

    /** The controller. It is public for the proxy that limits it. */
    @RestController
    public static class Backend {

        /** {@return what the application answers} */
        @GetMapping(Product.PATH)
        @RateLimiter(name = "backend")
        public String item() {
            return "ok";
        }

        /** {@return what the application answers under a limit that nothing reaches} */
        @GetMapping(JvmProduct.WARM_UP_PATH)
        @RateLimiter(name = "warm-up")
        public String warmUp() {
            return "ok";
        }

        /** Answers what was not permitted. */
        @ExceptionHandler(RequestNotPermitted.class)
        @ResponseStatus(HttpStatus.TOO_MANY_REQUESTS)
        public void refused() {}
    }
}
