package dev.throttle.reality.maven;

import dev.throttle.reality.Product;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Import;

/** The starter of Bucket4j with Caffeine as its cache. */
@SpringBootConfiguration
@EnableAutoConfiguration
@EnableCaching
@Import(ItemController.class)
public class Bucket4jApplication {

    /**
     * Runs it.
     *
     * @param args the port, 0, and properties of its bandwidth
     */
    public static void main(String[] args) {
        List<String> properties = new ArrayList<>(List.of(
                "--bucket4j.enabled=true",
                "--bucket4j.cache-to-use=jcache",
                "--spring.cache.type=jcache",
                "--spring.cache.jcache.provider=com.github.benmanes.caffeine.jcache.spi.CaffeineCachingProvider",
                "--spring.cache.cache-names=buckets",
                "--bucket4j.filters[0].cache-name=buckets",
                "--bucket4j.filters[0].url=" + Product.PATH,
                "--bucket4j.filters[1].cache-name=buckets",
                "--bucket4j.filters[1].url=" + JvmProduct.WARM_UP_PATH,
                "--bucket4j.filters[1].rate-limits[0].bandwidths[0].capacity=100",
                "--bucket4j.filters[1].rate-limits[0].bandwidths[0].time=10",
                "--bucket4j.filters[1].rate-limits[0].bandwidths[0].unit=seconds"));
        properties.addAll(List.of(args).subList(2, args.length));
        SpringApplications.run(Bucket4jApplication.class, WebApplicationType.SERVLET, args[0], properties);
    }
}
