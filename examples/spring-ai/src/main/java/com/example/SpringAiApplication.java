package com.example;

import dev.throttle.okhttp.ThrottlingInterceptor;
import org.springframework.ai.openai.http.okhttp.OpenAiHttpClientBuilderCustomizer;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** Spring AI with OpenAI. See docs/recipes/spring-ai.md. */
@SpringBootApplication
class SpringAiApplication {

    @Bean
    OpenAiHttpClientBuilderCustomizer throttled(ThrottlingInterceptor throttling) {
        return client -> client.interceptor(throttling.withoutObserver());
    }
}
