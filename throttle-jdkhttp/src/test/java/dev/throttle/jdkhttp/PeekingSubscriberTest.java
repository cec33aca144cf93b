package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.testing.VirtualTime;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Buffer by buffer: what is asked for, kept and passed on. */
class PeekingSubscriberTest {

    private final VirtualTime time = new VirtualTime();
    private final BodyPolicy policy = new BodyPolicy(1000, Duration.ofSeconds(1), time, Runnable::run, Runnable::run);
    private final Upstream upstream = new Upstream();
    private final Target target = new Target();
    private final List<String> looked = new ArrayList<>();
    private final PeekingSubscriber<String> peeking = peeking(start -> {
        looked.add(new String(start));
        return target;
    });

    private PeekingSubscriber<String> peeking(Function<byte[], BodySubscriber<String>> choice) {
        PeekingSubscriber<String> made = PeekingSubscriber.of(policy);
        made.look(choice);
        return made;
    }

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

    private static final class Target implements BodySubscriber<String> {
        private final CompletableFuture<String> body = new CompletableFuture<>();
        private final List<String> signals = new ArrayList<>();
        private Subscription subscription;
        private RuntimeException mistake;

        @Override
        public CompletionStage<String> getBody() {
            return body;
        }

        @Override
        public void onSubscribe(Subscription received) {
            subscription = received;
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            if (mistake != null) {
                throw mistake;
            }
            ByteBuffer first = buffers.get(0);
            byte[] bytes = new byte[first.remaining()];
            first.get(bytes);
            signals.add(new String(bytes));
        }

        @Override
        public void onError(Throwable thrown) {
            signals.add(thrown.getMessage());
        }

        @Override
        public void onComplete() {
            signals.add("end");
        }
    }

    private void receive(String text) {
        peeking.onNext(List.of(ByteBuffer.wrap(text.getBytes())));
    }

    @Test
    void asksForOneBufferAtATimeUntilItHasSeenEnough() {
        peeking.onSubscribe(upstream);
        assertThat(upstream.requested).isEqualTo(1);
        receive("a".repeat(5000));
        assertThat(upstream.requested).isEqualTo(2);
        receive("b".repeat(5000));
        assertThat(upstream.requested).isEqualTo(2);
        assertThat(looked).containsExactly("a".repeat(5000) + "b".repeat(3192));
        assertThat(time.scheduledTasks()).isZero();
    }

    @Test
    void passesOnWhatWasKeptAndThenWhatIsAskedFor() {
        peeking.onSubscribe(upstream);
        receive("a".repeat(5000));
        receive("b".repeat(5000));
        assertThat(target.signals).isEmpty();
        target.subscription.request(1);
        assertThat(target.signals).containsExactly("a".repeat(5000));
        assertThat(upstream.requested).isEqualTo(2);
        target.subscription.request(2);
        assertThat(target.signals).hasSize(2);
        assertThat(upstream.requested).isEqualTo(3);
        receive("c");
        peeking.onComplete();
        assertThat(target.signals).endsWith("c", "end");
        target.body.complete("whole");
        assertThat(peeking.getBody().toCompletableFuture().join()).isEqualTo("whole");
    }

    @Test
    void theEndComesAfterWhatWasKept() {
        peeking.onSubscribe(upstream);
        receive("a");
        peeking.onError(new IOException("cut off"));
        assertThat(looked).containsExactly("a");
        assertThat(target.signals).isEmpty();
        target.subscription.request(Long.MAX_VALUE);
        assertThat(target.signals).containsExactly("a", "cut off");
    }

    /** As without a throttle: it is for the client to know how long a response may take. */
    @Test
    void aHeldResponseWaitsForItsBodyHoweverLateThatBegins() {
        PeekingSubscriber<String> held = PeekingSubscriber.holding(policy);
        CompletableFuture<String> response = held.getBody().toCompletableFuture();
        time.advance(Duration.ofMinutes(1));
        assertThat(response).isNotDone();
        assertThat(time.scheduledTasks()).isZero();

        held.onSubscribe(upstream);
        assertThat(response).isCompletedWithValue(null);
        held.handTo(target);
        target.subscription.request(1);
        held.onNext(List.of(ByteBuffer.wrap("late".getBytes())));
        assertThat(target.signals).containsExactly("late");
    }

    @Test
    void decidesWhenTheTimeIsUpAndGoesOnFromThere() {
        peeking.onSubscribe(upstream);
        receive("a");
        time.advance(Duration.ofSeconds(1));
        assertThat(looked).containsExactly("a");
        target.subscription.request(2);
        receive("b"); // asked for while it was looked at
        assertThat(target.signals).containsExactly("a", "b");
        assertThat(upstream.requested).isEqualTo(2);
    }

    @Test
    void cancellingReachesTheConnection() {
        peeking.onSubscribe(upstream);
        receive("a".repeat(9000));
        target.subscription.cancel();
        assertThat(upstream.cancelled).isTrue();
        target.subscription.request(1);
        peeking.onComplete();
        assertThat(target.signals).isEmpty();
    }

    @Test
    void askingForNothingIsAnErrorAlsoIfTheBodyHasEnded() {
        peeking.onSubscribe(upstream);
        receive("short");
        peeking.onComplete();
        target.subscription.request(0);
        assertThat(target.signals).containsExactly("non-positive subscription request: 0");
        assertThat(peeking.getBody().toCompletableFuture()).isCompletedExceptionally();
    }

    @Test
    void askingForNothingEndsTheExchange() {
        peeking.onSubscribe(upstream);
        receive("a".repeat(9000));
        target.subscription.request(-3);
        assertThat(target.signals).containsExactly("non-positive subscription request: -3");
        assertThat(upstream.cancelled).isTrue();
    }

    @Test
    void askingForNothingBeforeTheBodyHasBegunIsToldWhenItBegins() {
        time.advance(Duration.ofSeconds(1));
        target.subscription.request(-1);
        peeking.onSubscribe(upstream);
        assertThat(target.signals).containsExactly("non-positive subscription request: -1");
        assertThat(upstream.cancelled).isTrue();
    }

    @Test
    void aSubscriberThatThrowsFailsTheBodyAndEndsTheExchange() {
        peeking.onSubscribe(upstream);
        receive("a".repeat(9000));
        target.mistake = new IllegalStateException("subscriber");
        target.subscription.request(1);
        assertThat(upstream.cancelled).isTrue();
        assertThatThrownBy(() -> peeking.getBody().toCompletableFuture().join()).hasCause(target.mistake);
    }

    @Test
    void aBodyThatDoesNotBeginInTimeIsJudgedByTheHeadAndPassedOnWhenItComes() {
        time.advance(Duration.ofSeconds(1));

        assertThat(looked).containsExactly("");
        target.subscription.request(5);
        peeking.onSubscribe(upstream);
        assertThat(upstream.requested).isEqualTo(5);
        assertThat(upstream.cancelled).isFalse();
    }

    @Test
    void aRefusalWhoseBodyDoesNotBeginInTimeFails() {
        PeekingSubscriber<String> refused = peeking(start -> BoundedDiscard.begin(policy));

        time.advance(Duration.ofSeconds(1));

        assertThat(refused.getBody().toCompletableFuture()).isCompletedExceptionally();
        refused.onSubscribe(upstream);
        assertThat(upstream.cancelled).isTrue();
        assertThat(time.scheduledTasks()).isZero();
    }

    @Test
    void aBodyThatBeginsWhileTheCallersHandlerFailsIsCancelled() {
        AtomicReference<PeekingSubscriber<String>> self = new AtomicReference<>();
        PeekingSubscriber<String> failing = peeking(start -> {
            self.get().onSubscribe(upstream);
            throw new IllegalStateException("the handler's");
        });
        self.set(failing);

        time.advance(Duration.ofSeconds(1));

        assertThat(upstream.cancelled).isTrue();
        assertThat(failing.getBody().toCompletableFuture()).isCompletedExceptionally();
    }

    @Test
    void aSecondSubscriptionIsCancelled() {
        peeking.onSubscribe(upstream);
        Upstream second = new Upstream();

        peeking.onSubscribe(second);

        assertThat(second.cancelled).isTrue();
        assertThat(second.requested).isZero();
        assertThat(upstream.cancelled).isFalse();
    }

    @Test
    void signalsWithoutContentAreNotTaken() {
        assertThatNullPointerException().isThrownBy(() -> peeking.onSubscribe(null));
        peeking.onSubscribe(upstream);
        assertThatNullPointerException().isThrownBy(() -> peeking.onNext(null));
        assertThatNullPointerException().isThrownBy(() -> peeking.onError(null));
        assertThat(looked).isEmpty();
    }
}
