package com.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.resilience4j.Guards;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What a user gets who adds resilience4j as the documentation says. */
class Resilience4jTest {

    @Test
    void theWarningsOfThrottleStillHaveALogger() {
        String version = LoggerFactory.class.getPackage().getImplementationVersion();
        assertTrue(version.startsWith("2."), version);
    }

    @Test
    void anOpenBreakerRefuses() {
        CircuitBreaker breaker = CircuitBreaker.ofDefaults("api");
        Throttle throttle =
                Throttle.builder().guard(Guards.circuitBreaker(breaker)).build();
        breaker.transitionToForcedOpenState();
        ThrottleRejectedException refusal = assertThrows(ThrottleRejectedException.class, throttle::acquire);
        assertEquals("circuit-breaker", refusal.reason());
    }
}
