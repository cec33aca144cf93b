package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Listeners that are added after the throttle was built. */
class ListenersTest {

    private final List<String> heard = new ArrayList<>();
    private final ThrottleListener listener = new ThrottleListener() {
        @Override
        public void onCreated(Source throttle) {
            heard.add("created " + throttle.key());
        }

        @Override
        public void onEvicted(Source throttle) {
            heard.add("evicted " + throttle.key() + (throttle.isEvicted() ? "" : " alive"));
        }

        @Override
        public void onSignal(Source throttle, Signal signal) {
            heard.add(signal.outcome() + " " + throttle.key());
        }
    };

    private static void failOn(Throttle throttle) throws Exception {
        throttle.acquire().complete(Signal.FAILED);
    }

    @Test
    void aListenerAddedLaterHearsThrottlesThatAreThereAndThoseToCome() throws Exception {
        VirtualTime time = new VirtualTime();
        ThrottleRegistry throttles =
                ThrottleRegistry.builder().time(time).maxKeys(10).build();
        throttles.get("a");
        assertThat(throttles.addListener(listener)).isTrue();
        failOn(throttles.get("a"));
        failOn(throttles.get("b"));
        time.advance(Duration.ofHours(2));
        throttles.get("a");
        assertThat(heard)
                .startsWith("FAILED a", "created b", "FAILED b")
                .contains("created a")
                .containsOnlyOnce("evicted a");
    }

    @Test
    void anEqualListenerIsNotAddedTwice() throws Exception {
        ThrottleRegistry throttles = ThrottleRegistry.create();
        assertThat(throttles.addListener(listener)).isTrue();
        assertThat(throttles.addListener(listener)).isFalse();
        failOn(throttles.get("a"));
        assertThat(heard).containsExactly("created a", "FAILED a");
    }

    @Test
    void aRemovedListenerHearsNothing() throws Exception {
        ThrottleRegistry throttles =
                ThrottleRegistry.builder().listener(listener).build();
        failOn(throttles.get("a"));
        assertThat(throttles.removeListener(listener)).isTrue();
        assertThat(throttles.removeListener(listener)).isFalse();
        failOn(throttles.get("a"));
        failOn(throttles.get("b"));
        assertThat(heard).containsExactly("created a", "FAILED a");
    }

    @Test
    void aListenerOfOneThrottleHearsNoOther() throws Exception {
        ThrottleRegistry throttles = ThrottleRegistry.create();
        throttles.get("a").addListener(listener);
        failOn(throttles.get("b"));
        failOn(throttles.get("a"));
        assertThat(throttles.get("a").removeListener(listener)).isTrue();
        failOn(throttles.get("a"));
        assertThat(heard).containsExactly("FAILED a");
    }

    @Test
    void throttlesOfOneBuilderDoNotShareListenersAddedLater() throws Exception {
        ThrottleRegistry.Builder builder = ThrottleRegistry.builder();
        ThrottleRegistry first = builder.build();
        ThrottleRegistry second = builder.build();
        first.addListener(listener);
        failOn(second.get("a"));
        assertThat(heard).isEmpty();
    }

    @Test
    void anAcceptedRequestThatTellsNothingCallsNoListener() throws Exception {
        Throttle throttle = Throttle.create();
        throttle.addListener(listener);
        throttle.acquire().complete(Signal.SUCCESS);
        throttle.execute(() -> "answer");
        assertThat(heard).isEmpty();
    }

    @Test
    void nullIsRefusedByName() {
        assertThatNullPointerException()
                .isThrownBy(() -> Throttle.create().addListener(null))
                .withMessageContaining("listener");
    }
}
