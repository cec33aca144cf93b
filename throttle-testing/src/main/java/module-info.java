/** Helps to test programs that use Throttle: time under control, and a server with a limit. */
module dev.throttle.testing {
    requires transitive dev.throttle;
    requires jdk.httpserver;
    requires static transitive org.jspecify;

    exports dev.throttle.testing;
}
