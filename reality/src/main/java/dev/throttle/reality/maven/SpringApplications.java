package dev.throttle.reality.maven;

import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;

/** Starts Spring applications that have the dependencies of all others on their class path, too. */
final class SpringApplications {

    /** What holds for an application unless it says otherwise. */
    private static final String[] DEFAULTS = {
        "bucket4j.enabled=false",
        "spring.cloud.gateway.server.webflux.enabled=false",
        "spring.autoconfigure.exclude=org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration",
        "spring.main.banner-mode=off",
        "server.address=127.0.0.1"
    };

    private SpringApplications() {}

    /** Runs an application on a port with these properties, each as {@code --name=value}. */
    static void run(Class<?> application, WebApplicationType type, String port, List<String> properties) {
        List<String> all = new ArrayList<>(properties);
        all.add("--server.port=" + port);
        new SpringApplicationBuilder(application).properties(DEFAULTS).web(type).run(all.toArray(String[]::new));
    }
}
