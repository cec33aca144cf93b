/** Throttling for the HTTP client of the JDK. */
module dev.throttle.jdkhttp {
    requires transitive dev.throttle;
    requires transitive java.net.http;
    requires static transitive org.jspecify;

    exports dev.throttle.jdkhttp;
}
