/** One limit of many processes, each of which leases permits from a store. */
module dev.throttle.lease {
    requires transitive dev.throttle;
    requires static transitive org.jspecify;

    exports dev.throttle.lease;
}
