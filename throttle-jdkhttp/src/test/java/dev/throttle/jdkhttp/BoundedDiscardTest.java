package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.throttle.testing.VirtualTime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow.Subscription;
import org.junit.jupiter.api.Test;

/** The body of a refused response, read to nowhere, with as much time and room as it has. */
class BoundedDiscardTest {

    private static final Duration LIMIT = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final BodyPolicy policy = new BodyPolicy(10, LIMIT, time, Runnable::run, Runnable::run);
    private final BoundedDiscard<String> discard = BoundedDiscard.begin(policy);
    private final CompletableFuture<String> body = discard.getBody().toCompletableFuture();
    private final Upstream upstream = new Upstream();

    private static final class Upstream implements Subscription {
        private long requested;
        private boolean cancelled;

        @Override
        public void request(long n) {
            requested += n;
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }

    private static List<ByteBuffer> bytes(int count) {
        return List.of(ByteBuffer.allocate(count));
    }

    @Test
    void theResponseIsCompleteWhenItsBodyBegins() {
        assertThat(body).isNotDone();

        discard.onSubscribe(upstream);

        assertThat(body).isCompletedWithValue(null);
        assertThat(discard.end()).isNotDone();
        assertThat(upstream.requested).isPositive();
    }

    @Test
    void aBodyThatDoesNotBeginInTimeFailsTheResponse() {
        time.advance(LIMIT.minusNanos(1));
        assertThat(body).isNotDone();

        time.advance(Duration.ofNanos(1));

        assertThat(body).failsWithin(Duration.ZERO).withThrowableThat().withCauseInstanceOf(IOException.class);
        assertThat(discard.end()).isDone();
    }

    @Test
    void aBodyThatBeginsLaterIsNotRead() {
        time.advance(LIMIT);

        discard.onSubscribe(upstream);

        assertThat(upstream.cancelled).isTrue();
        assertThat(upstream.requested).isZero();
    }

    @Test
    void theEndOfTheBodyEndsTheReading() {
        discard.onSubscribe(upstream);
        discard.onNext(bytes(10));
        assertThat(discard.end()).isNotDone();

        discard.onComplete();

        assertThat(discard.end()).isDone();
        assertThat(upstream.cancelled).isFalse();
        assertThat(time.scheduledTasks()).isZero();
    }

    @Test
    void moreBytesThanThereIsRoomForGiveTheConnectionUp() {
        discard.onSubscribe(upstream);
        discard.onNext(bytes(10));
        discard.onNext(bytes(1));

        assertThat(upstream.cancelled).isTrue();
        assertThat(discard.end()).isDone();
    }

    @Test
    void aBodyThatTakesTooLongGivesTheConnectionUp() {
        discard.onSubscribe(upstream);

        time.advance(LIMIT);

        assertThat(upstream.cancelled).isTrue();
        assertThat(discard.end()).isDone();
        assertThat(body).isCompletedWithValue(null);
    }

    @Test
    void aBodyThatFailsChangesNothingOfWhatTheHeadersSaid() {
        discard.onError(new IOException("reset"));

        assertThat(body).isCompletedWithValue(null);
        assertThat(discard.end()).isDone();
    }

    /** If it failed at once, the JDK's client might not have counted the exchange yet, and would never count it out. */
    @Test
    void whatNobodyWantsFailsWhenItBeginsOrWhenTheTimeIsOverAndNotBefore() {
        BoundedDiscard<String> begun = BoundedDiscard.unread(policy);
        BoundedDiscard<String> cutOff = BoundedDiscard.unread(policy);
        assertThat(begun.getBody().toCompletableFuture()).isNotDone();

        begun.onSubscribe(upstream);
        time.advance(LIMIT);

        assertThat(upstream.cancelled).isTrue();
        assertThat(upstream.requested).isZero();
        assertThat(begun.getBody().toCompletableFuture()).isCompletedExceptionally();
        assertThat(cutOff.getBody().toCompletableFuture()).isCompletedExceptionally();
    }

    /** As a body that begins while the time limit is seen to: whoever waits for the end runs in between. */
    @Test
    void aBodyThatBeginsAtTheVeryEndOfItsTimeIsNotRead() {
        List<Boolean> cancelled = new ArrayList<>();
        discard.end().whenComplete((nothing, never) -> {
            discard.onSubscribe(upstream);
            cancelled.add(upstream.cancelled);
        });

        time.advance(LIMIT);

        assertThat(cancelled).containsExactly(true);
        assertThat(upstream.requested).isZero();
    }

    @Test
    void aBodyThatEndsWithoutHavingBegunIsComplete() {
        discard.onComplete();

        assertThat(body).isCompletedWithValue(null);
        assertThat(discard.end()).isDone();
    }

    @Test
    void aSecondSubscriptionIsCancelled() {
        discard.onSubscribe(upstream);
        Upstream second = new Upstream();

        discard.onSubscribe(second);

        assertThat(second.cancelled).isTrue();
        assertThat(second.requested).isZero();
        assertThat(upstream.cancelled).isFalse();
    }

    @Test
    void signalsWithoutContentAreNotTaken() {
        assertThatNullPointerException().isThrownBy(() -> discard.onSubscribe(null));
        discard.onSubscribe(upstream);
        assertThatNullPointerException().isThrownBy(() -> discard.onNext(null));
        assertThatNullPointerException().isThrownBy(() -> discard.onError(null));
        assertThat(discard.end()).isNotDone();
    }
}
