/** One limit, and one memory, of many processes, which share them through a store; of one machine, through a file. */
module dev.throttle.lease {
    requires transitive dev.throttle;
    requires org.slf4j;
    requires static micrometer.core;
    requires static transitive org.jspecify;

    exports dev.throttle.lease;
    exports dev.throttle.lease.fleet to
            dev.throttle.redis;
}
