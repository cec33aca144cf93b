// page: docs/strategies.md
// lists: 2
// and: dev.throttle:throttle-core
// and: io.github.resilience4j:resilience4j-bulkhead:${resilience4j.version}
// calls: nothing
import dev.throttle.*;
import dev.throttle.control.*;
import dev.throttle.resilience4j.*;
import dev.throttle.signal.*;
import io.github.resilience4j.bulkhead.*;
import io.github.resilience4j.circuitbreaker.*;
import java.time.Duration;

public class Main {
    public static void main(String[] args) throws Exception {
        CircuitBreakerRegistry registry = CircuitBreakerRegistry.ofDefaults();
        CircuitBreaker breaker = registry.circuitBreaker("api");
        Bulkhead bulkhead = Bulkhead.of("api", BulkheadConfig.custom().maxWaitDuration(Duration.ZERO).build());
        // snippet 7
        System.out.println(throttle.execute(() -> "served"));
        own();
    }

    static void own() {
        // snippet 8
    }
}
