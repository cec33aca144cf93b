package dev.throttle.spring.boot;

import dev.throttle.ThrottleRegistry;
import dev.throttle.lease.FileFleet;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.FleetLimitBuilder;
import dev.throttle.lease.LeasedLimit;
import dev.throttle.redis.RedisFleet;
import dev.throttle.spring.boot.ThrottleProperties.FleetLimit;
import dev.throttle.spring.boot.ThrottleProperties.LimitKind;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** The fleet that the throttles of the application join: in a folder, or with the Redis that the application has. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(Fleet.class)
@ConditionalOnProperty("throttle.fleet.name")
class FleetConfiguration {

    private static final String PREFIX = "throttle.fleet.";

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(Fleet.class)
    @ConditionalOnProperty(PREFIX + "folder")
    static class InFolder {

        @Bean
        Fleet throttleFleet(ThrottleProperties properties) {
            ThrottleProperties.Fleet settings = properties.fleet();
            FileFleet.Builder[] made = new FileFleet.Builder[1];
            PropertyCheck.set(PREFIX + "name", settings.name(), name -> made[0] = FileFleet.builder(name));
            FileFleet.Builder builder = made[0];
            PropertyCheck.set(PREFIX + "folder", settings.folder(), folder -> builder.folder(Path.of(folder)));
            PropertyCheck.set(PREFIX + "start-timeout", settings.startTimeout(), builder::startTimeout);
            return builder.build();
        }
    }

    /** Without {@code throttle.fleet.folder}. */
    static final class NoFolder extends NoneNestedConditions {

        NoFolder() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnProperty(PREFIX + "folder")
        static final class Folder {}
    }

    /** A client or a URI of the program's own comes before what Spring Boot knows. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({RedisFleet.class, RedisClient.class})
    @ConditionalOnMissingBean(Fleet.class)
    @Conditional(NoFolder.class)
    static class InRedis {

        @Bean
        FleetConnection throttleFleetConnection(
                ObjectProvider<RedisClient> client,
                ObjectProvider<RedisClusterClient> cluster,
                ObjectProvider<RedisURI> uri,
                ObjectProvider<FleetSource> known,
                ThrottleProperties properties) {
            RedisClient single = client.getIfUnique();
            RedisClusterClient several = cluster.getIfUnique();
            RedisURI place = uri.getIfUnique();
            FleetSource source = known.getIfAvailable();
            if (single != null) {
                return FleetConnection.of(single);
            }
            if (several != null) {
                return FleetConnection.of(several);
            }
            if (place != null) {
                return FleetConnection.of(place);
            }
            PropertyCheck.check(
                    source != null,
                    PREFIX + "name",
                    "",
                    "there is no Redis for the fleet: neither spring.data.redis.* nor one bean of Lettuce's RedisClient,"
                            + " RedisClusterClient or RedisURI");
            return Objects.requireNonNull(source).connect(properties.fleet().timeout());
        }

        @Bean
        Fleet throttleFleet(ThrottleProperties properties, FleetConnection connection) {
            ThrottleProperties.Fleet settings = properties.fleet();
            RedisFleet.Builder[] made = new RedisFleet.Builder[1];
            PropertyCheck.set(PREFIX + "name", settings.name(), name -> made[0] = connection.builder(name));
            RedisFleet.Builder builder = made[0];
            PropertyCheck.set(PREFIX + "timeout", settings.timeout(), builder::timeout);
            PropertyCheck.set(PREFIX + "start-timeout", settings.startTimeout(), builder::startTimeout);
            return settings.readableKeys() ? builder.readableKeys().build() : builder.build();
        }
    }

    /** What Spring Boot knows of a Redis. */
    interface FleetSource {
        FleetConnection connect(@Nullable Duration timeout);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(DataRedisConnectionDetails.class)
    static class Details {

        @Bean
        @ConditionalOnBean(DataRedisConnectionDetails.class)
        FleetSource throttleFleetSource(DataRedisConnectionDetails details) {
            return timeout -> FleetConnection.OfDetails.connect(details, timeout);
        }
    }

    /** The limits of the fleet are limits of each key. */
    @Bean
    @ConditionalOnBean(Fleet.class)
    @Order(Ordered.HIGHEST_PRECEDENCE)
    ThrottleCustomizer throttleFleetLimits(ThrottleProperties properties, Fleet fleet) {
        return registry -> {
            List<FleetLimit> limits = properties.fleet().limits();
            for (int i = 0; i < limits.size(); i++) {
                registry.limit(limit(PREFIX + "limits[" + i + "].", limits.get(i), fleet));
            }
        };
    }

    private static LeasedLimit limit(String prefix, FleetLimit limit, Fleet fleet) {
        PropertyCheck.check(limit.permits() != null, prefix + "permits", "", "a limit needs permits, such as 1000");
        FleetLimitBuilder[] made = new FleetLimitBuilder[1];
        PropertyCheck.set(
                prefix + "permits",
                limit.permits(),
                permits -> made[0] = limit.kind() == LimitKind.TOKEN_BUCKET
                        ? fleet.tokenBucket(permits, limit.period())
                        : fleet.slidingWindow(permits, limit.period()));
        FleetLimitBuilder builder = made[0];
        PropertyCheck.set(prefix + "name", limit.name(), builder::name);
        PropertyCheck.set(prefix + "unit", limit.unit(), builder::unit);
        PropertyCheck.check(
                limit.burst() == null || limit.kind() == LimitKind.TOKEN_BUCKET,
                prefix + "burst",
                String.valueOf(limit.burst()),
                "a sliding window has no burst");
        PropertyCheck.set(prefix + "burst", limit.burst(), builder::burst);
        PropertyCheck.set(prefix + "when-away", limit.whenAway(), builder::whenAway);
        PropertyCheck.set(prefix + "expected-processes", limit.expectedProcesses(), builder::expectedProcesses);
        return builder.build();
    }

    /** Made with the application, so that the throttles have joined before the first request. */
    @Bean
    @ConditionalOnBean(Fleet.class)
    FleetMembership throttleFleetMembership(Fleet fleet, ThrottleRegistry throttles) {
        fleet.join(throttles);
        return new FleetMembership();
    }

    /** The throttles have joined. */
    static final class FleetMembership {}
}
