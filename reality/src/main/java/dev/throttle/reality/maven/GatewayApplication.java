package dev.throttle.reality.maven;

import dev.throttle.reality.Product;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Mono;
import redis.embedded.RedisServer;

/** Spring Cloud Gateway with the filter RequestRateLimiter and a Redis of its own, in front of an application. */
@SpringBootConfiguration
@EnableAutoConfiguration
public class GatewayApplication {

    /**
     * Runs it.
     *
     * @param args the port, the port of the application, and the filter's arguments such as {@code replenishRate=10}
     * @throws IOException if Redis cannot start
     */
    public static void main(String[] args) throws IOException {
        int redisPort;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            redisPort = free.getLocalPort();
        }
        RedisServer redis = RedisServer.newRedisServer()
                .port(redisPort)
                .bind("127.0.0.1")
                .setting("save \"\"")
                .build();
        redis.start();
        List<String> properties = new ArrayList<>(List.of(
                "--spring.cloud.gateway.server.webflux.enabled=true",
                "--spring.autoconfigure.exclude=",
                "--spring.data.redis.port=" + redisPort));
        List<String> arguments = List.of(args).subList(2, args.length);
        properties.addAll(route(0, Product.PATH, args[1], arguments));
        properties.addAll(
                route(1, JvmProduct.WARM_UP_PATH, args[1], List.of("replenishRate=100", "burstCapacity=100")));
        SpringApplications.run(GatewayApplication.class, WebApplicationType.REACTIVE, args[0], properties);
    }

    private static List<String> route(int index, String path, String applicationPort, List<String> limit) {
        String route = "--spring.cloud.gateway.server.webflux.routes[" + index + "].";
        List<String> properties = new ArrayList<>(List.of(
                route + "id=route" + index,
                route + "uri=http://127.0.0.1:" + applicationPort,
                route + "predicates[0]=Path=" + path,
                route + "filters[0].name=RequestRateLimiter",
                route + "filters[0].args.key-resolver=#{@userKeyResolver}"));
        limit.forEach(each -> properties.add(route + "filters[0].args.redis-rate-limiter." + each));
        return properties;
    }

    /** {@return what the filter counts by: the address of the client} */
    @Bean
    public KeyResolver userKeyResolver() {
        return exchange -> Mono.justOrEmpty(exchange.getRequest().getRemoteAddress())
                .map(address -> address.getAddress().getHostAddress());
    }
}
