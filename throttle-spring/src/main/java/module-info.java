/** Throttling for RestClient, RestTemplate and WebClient of the Spring Framework. */
module dev.throttle.spring {
    requires transitive dev.throttle;
    requires transitive spring.web;
    requires spring.core;
    requires static transitive spring.webflux;
    requires static transitive reactor.core;
    requires static transitive org.reactivestreams;
    requires static transitive org.jspecify;

    exports dev.throttle.spring;
}
