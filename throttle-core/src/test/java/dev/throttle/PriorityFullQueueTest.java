package dev.throttle;

import static dev.throttle.Timeline.rejection;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Who is turned away when the queue is full. */
class PriorityFullQueueTest extends PriorityStory {

    @Test
    void aFullQueueDropsTheOldestOfTheLowestClassForWhoIsNotBelowIt() {
        Throttle throttle =
                paced().maxWaiting(3).whenFull(WhenFull.DROP_OLDEST_OF_LOWEST).build();
        ask(throttle, NORMAL_CALL, "x");
        CompletableFuture<Permit> oldest = ask(throttle, BATCH_CALL, "b1");
        ask(throttle, BATCH_CALL, "b2");
        ask(throttle, NORMAL_CALL, "n");
        line.advanceMillis(4);
        ask(throttle, INTERACTIVE_CALL, "i1");
        assertThat(line.events).containsExactly("x@0", "b1 rejected@4");
        assertThat(rejection(oldest).reason()).isEqualTo("dropped");
        assertThat(rejection(oldest))
                .hasMessageContaining("the queue is full (maxWaiting is 3), and a later call took the place");
        assertThat(rejection(oldest).neededWait()).isEqualTo(Duration.ofMillis(4));
        ask(throttle, BATCH_CALL, "b3");
        ask(throttle, INTERACTIVE_CALL, "i2");
        ask(throttle, BATCH_CALL, "b4"); // the classes above are not dropped for it
        line.advanceMillis(36);
        assertThat(line.events)
                .containsExactly(
                        "x@0",
                        "b1 rejected@4",
                        "b2 rejected@4",
                        "b3 rejected@4",
                        "b4 rejected@4",
                        "i1@10",
                        "i2@20",
                        "n@30");
        assertThat(throttle.snapshot().rejected()).isEqualTo(4);
    }

    @Test
    void aFullQueueTurnsTheNewcomerAwayUnlessTold() {
        Throttle throttle = paced().maxWaiting(1).build();
        ask(throttle, NORMAL_CALL, "x");
        ask(throttle, BATCH_CALL, "b");
        assertThat(rejection(ask(throttle, INTERACTIVE_CALL, "i")).reason()).isEqualTo("queue-full");
        line.advanceMillis(10);
        assertThat(line.events).containsExactly("x@0", "i rejected@0", "b@10");
    }
}
