package dev.throttle.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.lease.FileFleet;
import dev.throttle.lease.Fleet;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** One property makes a fleet with the Redis that the application has; a real one. */
class FleetConfigurationTest {

    private static RealRedis redis;

    private final ApplicationContextRunner alone = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    ThrottleAutoConfiguration.class,
                    ThrottleActuatorAutoConfiguration.class,
                    MetricsAutoConfiguration.class,
                    SimpleMetricsExportAutoConfiguration.class));

    private final ApplicationContextRunner runner = alone.withConfiguration(
                    AutoConfigurations.of(DataRedisAutoConfiguration.class))
            .withPropertyValues(
                    "spring.data.redis.port=" + redis.port, "spring.data.redis.password=" + RealRedis.PASSWORD);

    @BeforeAll
    static void start() throws Exception {
        redis = new RealRedis();
    }

    @AfterAll
    static void stop() throws Exception {
        redis.close();
    }

    private static RedisURI uri() {
        return RedisURI.create("redis://:" + RealRedis.PASSWORD + "@127.0.0.1:" + redis.port);
    }

    private static void awaitConnected(Fleet fleet) {
        await().atMost(Duration.ofMinutes(1)).until(fleet::isConnected);
    }

    @Test
    void withoutTheNameThereIsNoFleet() {
        runner.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Fleet.class));
    }

    @Test
    void whatOneApplicationLearnsTheOtherKnows() {
        ApplicationContextRunner application =
                runner.withPropertyValues("throttle.fleet.name=learned", "throttle.fleet.timeout=20s");
        application.run(first -> application.run(second -> {
            awaitConnected(first.getBean(Fleet.class));
            awaitConnected(second.getBean(Fleet.class));
            Throttle here = first.getBean(ThrottleRegistry.class).get("k");
            Throttle there = second.getBean(ThrottleRegistry.class).get("k");
            Signal refusal = new Signal(Outcome.RATE_LIMITED, new RateHints(Duration.ofMinutes(5), List.of()));
            Objects.requireNonNull(here.tryAcquire()).complete(refusal);
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> !there.snapshot().blocked().isZero());
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> first.getBean(MeterRegistry.class)
                                    .get("throttle.fleet.connected")
                                    .tag("fleet", "learned")
                                    .gauge()
                                    .value()
                            == 1);
        }));
    }

    /** What is leased and not used in time comes back, so all of a window is used, however slow the machine is. */
    @Test
    void limitsOfTheFleetAreLimitsOfEachKey() {
        runner.withPropertyValues(
                        "throttle.fleet.name=limits",
                        "throttle.fleet.timeout=20s", // no outage is meant here
                        "throttle.fleet.start-timeout=20s",
                        "throttle.fleet.readable-keys=true",
                        "throttle.fleet.limits[0].permits=1000",
                        "throttle.fleet.limits[0].burst=200",
                        "throttle.fleet.limits[0].when-away=closed",
                        "throttle.fleet.limits[1].name=hourly",
                        "throttle.fleet.limits[1].kind=sliding-window",
                        "throttle.fleet.limits[1].permits=40",
                        "throttle.fleet.limits[1].period=1h",
                        "throttle.fleet.limits[1].when-away=closed")
                .run(context -> {
                    assertThat(context.getBean(Fleet.class).name()).isEqualTo("limits");
                    Throttle throttle = context.getBean(ThrottleRegistry.class).get("k");
                    AtomicInteger granted = new AtomicInteger();
                    await().atMost(Duration.ofMinutes(1))
                            .pollInterval(Duration.ofMillis(2))
                            .until(() -> {
                                Permit permit = throttle.tryAcquire(); // there is none before there is a lease
                                if (permit != null) {
                                    permit.complete(Signal.SUCCESS);
                                    granted.incrementAndGet();
                                }
                                return granted.get() == 40;
                            });
                    await().during(Duration.ofMillis(300)).until(() -> throttle.tryAcquire() == null);
                });
    }

    @Test
    void aClientOrAnAddressOfTheProgramComesFirst() {
        RedisClient client = RedisClient.create(uri());
        try {
            alone.withPropertyValues("throttle.fleet.name=client")
                    .withBean(RedisClient.class, () -> client)
                    .run(context -> awaitConnected(context.getBean(Fleet.class)));
            runner.withPropertyValues("throttle.fleet.name=address", "spring.data.redis.port=1")
                    .withBean(RedisURI.class, FleetConfigurationTest::uri)
                    .run(context -> awaitConnected(context.getBean(Fleet.class)));
        } finally {
            client.shutdown();
        }
    }

    @Test
    void withoutSpringDataItIsDoneWithAClient() {
        alone.withClassLoader(new FilteredClassLoader("org.springframework.boot.data.redis"))
                .withPropertyValues("throttle.fleet.name=address")
                .withBean(RedisURI.class, FleetConfigurationTest::uri)
                .run(context -> awaitConnected(context.getBean(Fleet.class)));
    }

    @Test
    void whatIsWrongIsToldByTheProperty() {
        alone.withPropertyValues("throttle.fleet.name=nowhere")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                        .hasMessageContaining("throttle.fleet.name"));
        runner.withPropertyValues("throttle.fleet.name=x", "throttle.fleet.limits[0].burst=3")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                        .hasMessageContaining("throttle.fleet.limits[0].permits"));
        runner.withPropertyValues("throttle.fleet.name=x", "throttle.fleet.timeout=0s")
                .run(context ->
                        assertThat(context).getFailure().rootCause().hasMessageContaining("throttle.fleet.timeout"));
    }

    @Test
    void withoutThrottleRedisThereIsNoFleet() {
        withoutThrottleRedis().run(context -> assertThat(context).hasNotFailed().hasSingleBean(ThrottleRegistry.class));
    }

    private ApplicationContextRunner withoutThrottleRedis() {
        return alone.withClassLoader(new FilteredClassLoader("dev.throttle.redis", "io.lettuce"));
    }

    @Test
    void aNameWithoutThrottleRedisStopsTheStart() {
        assertMissing(withoutThrottleRedis().withPropertyValues("throttle.fleet.name=x"), "throttle-redis");
        assertMissing(
                withoutThrottleRedis()
                        .withPropertyValues("throttle.fleet.name=x", "throttle.fleet.limits[0].permits=10"),
                "throttle-redis");
    }

    @TempDir
    private Path folder;

    @Test
    void aFolderNeedsNoRedis() {
        ApplicationContextRunner application = withoutThrottleRedis()
                .withPropertyValues(
                        "throttle.fleet.name=x",
                        "throttle.fleet.folder=" + folder,
                        "throttle.fleet.limits[0].permits=1000");
        application.run(first -> application.run(second -> {
            assertThat(first).hasNotFailed();
            awaitConnected(first.getBean(Fleet.class));
            assertThat(folder.resolve("fleet-x")).isDirectory();
            Throttle here = first.getBean(ThrottleRegistry.class).get("k");
            Throttle there = second.getBean(ThrottleRegistry.class).get("k");
            here.acquire().complete(new Signal(Outcome.RATE_LIMITED, new RateHints(Duration.ofMinutes(5), List.of())));
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> !there.snapshot().blocked().isZero());
        }));
    }

    @Test
    void aFolderGoesBeforeTheRedisOfTheApplication() {
        runner.withPropertyValues("throttle.fleet.name=x", "throttle.fleet.folder=" + folder)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(Fleet.class)
                        .doesNotHaveBean(FleetConnection.class));
    }

    @Test
    void whatAFolderDoesNotHaveIsTold() {
        runner.withPropertyValues(
                        "throttle.fleet.name=x", "throttle.fleet.folder=" + folder, "throttle.fleet.timeout=1s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("throttle.fleet.folder")
                        .hasMessageContaining("throttle.fleet.timeout"));
        assertMissing(alone.withPropertyValues("throttle.fleet.folder=" + folder), "throttle.fleet.folder");
    }

    @Test
    void aFleetOfTheApplicationNeedsNoRedis() {
        withoutThrottleRedis()
                .withBean(
                        Fleet.class,
                        () -> FileFleet.builder("own").folder(folder).build())
                .withPropertyValues("throttle.fleet.name=own", "throttle.fleet.limits[0].permits=10")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(Fleet.class));
    }

    @Test
    void limitsWithoutANameStopTheStart() {
        assertMissing(runner.withPropertyValues("throttle.fleet.limits[0].permits=10"), "throttle.fleet.limits");
        assertMissing(
                withoutThrottleRedis().withPropertyValues("throttle.fleet.limits[0].permits=10"),
                "throttle.fleet.limits");
    }

    private static void assertMissing(ApplicationContextRunner application, String missing) {
        application.run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                .hasMessageContaining("throttle.fleet.name")
                .hasMessageContaining(missing));
    }

    @Test
    void anUnreachableRedisStopsNobody() {
        runner.withPropertyValues("throttle.fleet.name=x", "spring.data.redis.port=1")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(Fleet.class).isConnected()).isFalse();
                    assertThat(context.getBean(ThrottleRegistry.class).get("k").tryAcquire())
                            .isNotNull();
                });
    }
}
