package com.example;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.registry.HttpServiceGroup;
import org.springframework.web.service.registry.ImportHttpServices;

/** An application as users have it, which knows nothing of Throttle. Every call returns the status of the answer. */
@SpringBootApplication
@ImportHttpServices(group = "blocking", types = Application.Items.class)
public class Application {

    /** An HTTP service over {@code RestClient}. */
    public interface Items {
        @GetExchange("/blocking")
        String get();
    }

    /** An HTTP service over {@code WebClient}. */
    public interface ReactiveItems {
        @GetExchange("/reactive")
        String get();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportHttpServices(
            group = "reactive",
            types = ReactiveItems.class,
            clientType = HttpServiceGroup.ClientType.WEB_CLIENT)
    static class Reactive {}

    /** The API that the application calls. */
    public static class Api {

        private final RestClient restClient;
        private final WebClient webClient;
        private final String url;
        private final RestTemplate restTemplate;

        Api(RestClient restClient, WebClient webClient, String url, RestTemplate restTemplate) {
            this.restClient = restClient;
            this.webClient = webClient;
            this.url = url;
            this.restTemplate = restTemplate;
        }

        public int viaRestClient() {
            return restClient
                    .get()
                    .uri("/rest-client")
                    .exchange((request, response) -> response.getStatusCode())
                    .value();
        }

        public int viaWebClient() {
            HttpStatusCode status = webClient
                    .get()
                    .uri("/web-client")
                    .exchangeToMono(response -> response.releaseBody().thenReturn(response.statusCode()))
                    .block();
            return status == null ? 0 : status.value();
        }

        public int viaRestTemplate() {
            return restTemplate
                    .getForEntity(url + "/rest-template", String.class)
                    .getStatusCode()
                    .value();
        }
    }

    @Bean
    Api api(
            @Value("${api.url}") String url,
            RestClient.Builder restClient,
            WebClient.Builder webClient,
            RestTemplateBuilder restTemplate) {
        return new Api(restClient.baseUrl(url).build(), webClient.baseUrl(url).build(), url, restTemplate.build());
    }
}
