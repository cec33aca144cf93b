package dev.throttle.spring.boot;

import dev.throttle.ThrottleRejectedException;
import java.time.Duration;
import java.time.InstantSource;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Answers a request whose call was turned away by a throttle, also if the exception is the cause of another one: 503,
 * and when to come back. Handlers of the application go first. What the exception says of the other server is not told.
 */
@ControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
class RejectionAdvice {

    private final InstantSource clock;

    RejectionAdvice(InstantSource clock) {
        this.clock = clock;
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> rejected(ThrottleRejectedException rejection) {
        Duration wait = Duration.between(clock.instant(), rejection.retryAt());
        long seconds = Math.max(1, wait.plusSeconds(1).minusNanos(1).toSeconds());
        return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
                .header(HttpHeaders.RETRY_AFTER, Long.toString(seconds))
                .body(ProblemDetail.forStatus(HttpStatus.SERVICE_UNAVAILABLE));
    }
}
