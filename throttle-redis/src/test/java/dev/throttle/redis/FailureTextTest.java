package dev.throttle.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.lease.fleet.FailureText;
import io.lettuce.core.RedisConnectionException;
import java.net.UnknownHostException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** One line of a log tells what is wrong. */
class FailureTextTest {

    @Test
    void theRootIsTold() {
        Throwable root = new UnknownHostException("redis.internal");
        Throwable failure = new RedisConnectionException("cannot connect", new ExecutionException(root));
        assertThat(FailureText.of(failure)).isEqualTo("UnknownHostException: redis.internal");
    }

    @Test
    void aRootThatSaysNothingIsNot() {
        Throwable failure = new RedisConnectionException("no answer within 2 s", new TimeoutException());
        assertThat(FailureText.of(failure)).isEqualTo("RedisConnectionException: no answer within 2 s");
        assertThat(FailureText.of(new TimeoutException())).isEqualTo("TimeoutException");
    }

    @Test
    void noPasswordIsTold() {
        Throwable failure = new RedisConnectionException("Unable to connect to rediss://me:open-s@same@redis:6379");
        assertThat(FailureText.of(failure))
                .isEqualTo("RedisConnectionException: Unable to connect to rediss://***@redis:6379");
    }
}
