package dev.throttle.spring.boot;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ClassUtils;

/** Stops the start where the properties of a fleet would be of no effect. */
@Configuration(proxyBeanMethods = false)
class FleetCheckConfiguration {

    private static final String NAME = "throttle.fleet.name";
    private static final String FLEET = "dev.throttle.lease.Fleet";

    @Bean
    FleetCheck throttleFleetCheck(ThrottleProperties properties, ResourceLoader loader, ListableBeanFactory beans)
            throws ClassNotFoundException {
        ThrottleProperties.Fleet fleet = properties.fleet();
        String name = fleet.name();
        PropertyCheck.check(
                name != null || (fleet.limits().isEmpty() && fleet.folder() == null),
                NAME,
                "",
                "throttle.fleet.limits and throttle.fleet.folder need a fleet, and a fleet needs a name");
        if (name == null) {
            return new FleetCheck();
        }
        if (fleet.folder() != null) {
            require(isPresent(FLEET, loader), name, "a fleet in a folder needs throttle-lease on the class path");
            PropertyCheck.check(
                    fleet.timeout() == null && !fleet.readableKeys(),
                    "throttle.fleet.folder",
                    fleet.folder(),
                    "throttle.fleet.timeout and throttle.fleet.readable-keys are for a fleet over Redis");
        } else if (!hasOwn(loader, beans)) {
            require(
                    isPresent("dev.throttle.redis.RedisFleet", loader),
                    name,
                    "a fleet needs throttle-redis on the class path, or throttle.fleet.folder");
            require(
                    isPresent("io.lettuce.core.RedisClient", loader),
                    name,
                    "a fleet needs Lettuce (io.lettuce:lettuce-core) on the class path, or throttle.fleet.folder");
        }
        return new FleetCheck();
    }

    /** {@return whether the application has made the fleet itself} */
    private static boolean hasOwn(ResourceLoader loader, ListableBeanFactory beans) throws ClassNotFoundException {
        return isPresent(FLEET, loader)
                && beans.getBeanNamesForType(ClassUtils.forName(FLEET, loader.getClassLoader()), false, false).length
                        > 0;
    }

    private static void require(boolean isThere, String name, String what) {
        PropertyCheck.check(isThere, NAME, name, what);
    }

    private static boolean isPresent(String type, ResourceLoader loader) {
        return ClassUtils.isPresent(type, loader.getClassLoader());
    }

    /** Nothing is missing. */
    static final class FleetCheck {}
}
