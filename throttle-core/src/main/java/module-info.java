/** Adaptive client-side throttling of HTTP calls. */
module dev.throttle {
    requires transitive dev.throttle.signal;
    requires org.slf4j;
    requires com.github.benmanes.caffeine;
    requires static io.github.resilience4j.core;
    requires static io.github.resilience4j.circuitbreaker;
    requires static io.github.resilience4j.bulkhead;
    requires static concurrency.limits.core;
    requires static micrometer.core;
    requires static micrometer.commons;
    requires static micrometer.observation;
    requires static context.propagation;
    requires static transitive org.jspecify;

    exports dev.throttle;
    exports dev.throttle.client to
            dev.throttle.okhttp,
            dev.throttle.jdkhttp,
            dev.throttle.spring,
            dev.throttle.spring.boot,
            dev.throttle.lab,
            dev.throttle.benchmarks;
    exports dev.throttle.internal to
            dev.throttle.lease,
            dev.throttle.redis,
            dev.throttle.bucket4j,
            dev.throttle.okhttp,
            dev.throttle.jdkhttp,
            dev.throttle.spring,
            dev.throttle.spring.boot,
            dev.throttle.lab;
    exports dev.throttle.control;
    exports dev.throttle.control.quota;
    exports dev.throttle.control.sleep;
    exports dev.throttle.control.busy;
    exports dev.throttle.control.limit;
    exports dev.throttle.retry;
    exports dev.throttle.time;
    exports dev.throttle.micrometer;
    exports dev.throttle.resilience4j;
    exports dev.throttle.concurrencylimits;
}
