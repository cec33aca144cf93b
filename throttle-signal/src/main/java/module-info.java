/** What HTTP responses say about rate limits. */
module dev.throttle.signal {
    requires static transitive org.jspecify;

    exports dev.throttle.signal;
    exports dev.throttle.signal.clock to
            dev.throttle;
    exports dev.throttle.signal.usage to
            dev.throttle,
            dev.throttle.okhttp,
            dev.throttle.jdkhttp,
            dev.throttle.spring,
            dev.throttle.lab;
}
