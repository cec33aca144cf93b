/** Fixed limits of many processes, kept by any of Bucket4j's back-ends. */
module dev.throttle.bucket4j {
    requires transitive dev.throttle.lease;
    requires transitive io.github.bucket4j.core;
    requires static transitive org.jspecify;

    exports dev.throttle.bucket4j;
}
