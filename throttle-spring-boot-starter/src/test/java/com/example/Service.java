package com.example;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

/** A service that asks another server for each request, and knows nothing of Throttle. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(Service.Front.class)
public class Service {

    /** What its callers see. */
    @RestController
    public static class Front {

        private final RestClient client;

        Front(RestClient client) {
            this.client = client;
        }

        @GetMapping("/ask")
        String ask(@RequestParam String url) {
            client.get().uri(url).retrieve().toBodilessEntity();
            return "yes";
        }
    }

    @Bean
    RestClient client(RestClient.Builder builder) {
        return builder.build();
    }
}
