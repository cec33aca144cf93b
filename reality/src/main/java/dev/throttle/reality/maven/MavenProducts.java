package dev.throttle.reality.maven;

import com.giffing.bucket4j.spring.boot.starter.context.properties.Bucket4JBootProperties;
import dev.throttle.reality.Kind;
import dev.throttle.reality.Limit;
import dev.throttle.reality.Product;
import io.github.resilience4j.ratelimiter.RateLimiter;
import java.time.Duration;
import java.util.List;
import org.apache.catalina.filters.RateLimitFilter;
import org.springframework.cloud.gateway.filter.ratelimit.RedisRateLimiter;

/** The products that Maven brings. They are on the class path, so all of them run wherever this does. */
public final class MavenProducts {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    private static final String GREEDY = "greedy";
    private static final String INTERVAL = "interval";

    private MavenProducts() {}

    /** {@return all of them} */
    public static List<Product> all() {
        return List.of(
                gateway("gateway", 20, 1),
                gateway("gateway-costly", 60, 5),
                bucket4j("bucket4j", 100, TEN_SECONDS, GREEDY),
                bucket4j("bucket4j-interval", 100, TEN_SECONDS, INTERVAL),
                tomcat("tomcat", 100, TEN_SECONDS, false),
                tomcat("tomcat-headers", 100, TEN_SECONDS, true),
                resilience4j());
    }

    /** {@return one of each kind with short windows, for tests} */
    static List<Product> quick() {
        return List.of(
                gateway("gateway", 20, 1),
                bucket4j("bucket4j", 20, SECOND, GREEDY),
                bucket4j("bucket4j-interval", 20, SECOND, INTERVAL),
                tomcat("tomcat", 20, SECOND, false),
                resilience4j());
    }

    private static Product gateway(String name, int capacity, int tokens) {
        // The bucket of the lab gets its capacity in a window.
        String lab = "--server second-bucket --capacity " + capacity + " --window " + capacity * 100 + "ms";
        return new JvmProduct(
                name,
                "Spring Cloud Gateway, 10 tokens a second, capacity " + capacity + ", " + tokens + " for each request",
                Kind.TELLING_BUCKET,
                Limit.gridBucket(capacity / tokens, 10 / tokens, SECOND),
                tokens == 1 ? lab(lab) : List.of(),
                GatewayApplication.class,
                RedisRateLimiter.class,
                List.of("replenishRate=10", "burstCapacity=" + capacity, "requestedTokens=" + tokens),
                true);
    }

    private static Product bucket4j(String name, int capacity, Duration time, String refill) {
        boolean greedy = refill.equals(GREEDY);
        String bandwidth = "--bucket4j.filters[0].rate-limits[0].bandwidths[0].";
        String server = greedy ? "gcra --initial " + capacity : "interval-bucket";
        return new JvmProduct(
                name,
                "bucket4j-spring-boot-starter, " + capacity + " in " + time.toSeconds() + " s, refilled at "
                        + (greedy ? "a steady rate" : "the end of each interval"),
                Kind.TELLING_BUCKET,
                greedy ? Limit.bucket(capacity, capacity, time) : Limit.window(capacity, time),
                lab("--server " + server + " --capacity " + capacity + " --window " + time.toSeconds() + "s"),
                Bucket4jApplication.class,
                Bucket4JBootProperties.class,
                List.of(
                        bandwidth + "capacity=" + capacity,
                        bandwidth + "time=" + time.toSeconds(),
                        bandwidth + "unit=seconds",
                        bandwidth + "refill-speed=" + refill),
                false);
    }

    /**
     * Tomcat rounds the length of a window up to a power of two of milliseconds, and the number of requests with it.
     */
    private static Product tomcat(String name, int requests, Duration time, boolean headers) {
        long millis = Long.highestOneBit(time.toMillis() - 1) * 2;
        int granted = (int) Math.round((double) requests * millis / time.toMillis());
        return new JvmProduct(
                name,
                "Tomcat's RateLimitFilter, " + requests + " in " + time.toSeconds() + " s"
                        + (headers ? ", exposeHeaders" : ""),
                headers ? Kind.TELLING_BUCKET : Kind.SILENT,
                Limit.gridWindow(granted, Duration.ofMillis(millis)),
                lab("--server fixed-window --capacity " + granted + " --window " + millis + "ms --headers "
                        + (headers ? "remaining" : "none")),
                TomcatApplication.class,
                RateLimitFilter.class,
                List.of("bucketRequests=" + requests, "bucketDuration=" + time.toSeconds(), "exposeHeaders=" + headers),
                false);
    }

    private static Product resilience4j() {
        String instance = "--resilience4j.ratelimiter.instances.backend.";
        return new JvmProduct(
                "resilience4j",
                "Resilience4j's RateLimiter in Spring MVC, 20 in 1 s",
                Kind.SILENT,
                Limit.gridWindow(20, SECOND),
                lab("--server fixed-window --capacity 20 --window 1s --headers none"),
                Resilience4jApplication.class,
                RateLimiter.class,
                List.of(
                        instance + "limit-for-period=20",
                        instance + "limit-refresh-period=1s",
                        instance + "timeout-duration=0"),
                false);
    }

    private static List<String> lab(String arguments) {
        return List.of(arguments.split(" "));
    }
}
