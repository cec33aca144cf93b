/** Throttling for OkHttp. */
module dev.throttle.okhttp {
    requires transitive dev.throttle;
    requires transitive okhttp3;
    requires static transitive org.jspecify;

    exports dev.throttle.okhttp;
}
