package dev.throttle.spring.boot;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ClassUtils;

/** Stops the start where the properties of a fleet would be of no effect. */
@Configuration(proxyBeanMethods = false)
class FleetCheckConfiguration {

    private static final String NAME = "throttle.fleet.name";

    @Bean
    FleetCheck throttleFleetCheck(ThrottleProperties properties, ResourceLoader loader) {
        String name = properties.fleet().name();
        PropertyCheck.check(
                name != null || properties.fleet().limits().isEmpty(),
                NAME,
                "",
                "throttle.fleet.limits needs a fleet, and a fleet needs a name");
        PropertyCheck.check(
                name == null || isPresent("dev.throttle.redis.RedisFleet", loader),
                NAME,
                String.valueOf(name),
                "a fleet needs throttle-redis on the class path");
        PropertyCheck.check(
                name == null || isPresent("io.lettuce.core.RedisClient", loader),
                NAME,
                String.valueOf(name),
                "a fleet needs Lettuce (io.lettuce:lettuce-core) on the class path");
        return new FleetCheck();
    }

    private static boolean isPresent(String type, ResourceLoader loader) {
        return ClassUtils.isPresent(type, loader.getClassLoader());
    }

    /** Nothing is missing. */
    static final class FleetCheck {}
}
