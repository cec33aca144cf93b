/** A fleet over Redis: one limit, and one memory, over many processes. */
module dev.throttle.redis {
    requires transitive dev.throttle.lease;
    requires transitive lettuce.core;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports dev.throttle.redis;
}
