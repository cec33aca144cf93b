package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.AdmissionGuard;
import dev.throttle.CallOptions;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.signal.Signal;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import okhttp3.Dispatcher;
import okhttp3.Request;
import org.junit.jupiter.api.Test;

/** Calls of the factory with many keys that share the slots of one host. */
class ManyKeysTest extends LoopbackTest {

    private static final int MANY = 400;

    private final CountDownLatch released = new CountDownLatch(1);

    private ThrottlingCallFactory factory(ThrottleRegistry throttles) {
        return ThrottlingCallFactory.builder(plain(), throttles)
                .keyResolver(request -> request.header("User"))
                .build();
    }

    private Request of(String user) {
        return get("/").newBuilder().header("User", user).build();
    }

    private void answerWhenReleased() {
        answer(request -> {
            try {
                assertThat(released.await(1, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return status(200);
        });
    }

    /** A guard that is asked for each permit, and remembers on which thread. */
    private static final class Asked implements AdmissionGuard {

        private final List<Thread> threads = new CopyOnWriteArrayList<>();

        @Override
        public String name() {
            return "asked";
        }

        @Override
        public Pass tryEnter() {
            threads.add(Thread.currentThread());
            return new Pass() {
                @Override
                public void onEnd(Signal signal, Duration duration) {}

                @Override
                public void onLeft() {}
            };
        }
    }

    private static long permitsOf(ThrottleRegistry throttles) {
        return throttles.all().stream()
                .flatMap(throttle -> throttle.snapshot().outcomes().values().stream())
                .mapToLong(Long::longValue)
                .sum();
    }

    @Test
    void aFreeSlotCostsOnePermit() {
        ThrottleRegistry throttles = throttle().build();
        ThrottlingCallFactory calls = factory(throttles);
        answerAlways(200);
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            answers.add(enqueue(calls.newCall(of("user " + i))));
        }
        assertThat(answers).allSatisfy(answer -> assertThat(answer.await()).isEqualTo(200));
        assertIdle(throttles);
        assertThat(permitsOf(throttles)).isBetween((long) MANY, MANY + MANY / 10L);
    }

    /** Each host has slots, but all of them together have used up the total. */
    @Test
    void aFreeSlotCostsOnePermitWithManyHostsToo() {
        plain().dispatcher().setMaxRequests(3);
        ThrottleRegistry throttles = throttle().build();
        ThrottlingCallFactory calls = ThrottlingCallFactory.create(plain(), throttles);
        answerAlways(200);
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            answers.add(enqueue(calls.newCall(getFrom("host" + i + ".test", "/"))));
        }
        assertThat(answers).allSatisfy(answer -> assertThat(answer.await()).isEqualTo(200));
        assertIdle(throttles);
        assertThat(permitsOf(throttles)).isBetween((long) MANY, MANY + MANY / 10L);
    }

    @Test
    void aSlotPassesOverCallsThatHaveToWaitForTheirThrottle() {
        plain().dispatcher().setMaxRequestsPerHost(1);
        ThrottleRegistry throttles = throttle().build();
        ThrottlingCallFactory calls = factory(throttles);
        answerWhenReleased();
        Answer first = enqueue(calls.newCall(of("first")));
        block(throttles, "blocked", Duration.ofMinutes(5));
        List<Answer> blocked = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            blocked.add(enqueue(calls.newCall(of("blocked"))));
        }
        Answer last = enqueue(calls.newCall(of("last")));
        released.countDown();
        assertThat(first.await()).isEqualTo(200);
        assertThat(last.await()).isEqualTo(200);
        awaitWaiting(throttles, "blocked", 1); // the others of its lane do not ask meanwhile
        assertThat(blocked).noneMatch(Answer::isDone);
        calls.cancelAll();
        assertThat(blocked).allSatisfy(answer -> assertThat(answer.await()).isInstanceOf(IOException.class));
        assertThat(calls.parkedCallsCount()).isZero();
        assertIdle(throttles);
    }

    @Test
    void whoeverEnqueuesAsksForNoPermitOfAnotherCall() {
        Dispatcher dispatcher = plain().dispatcher();
        dispatcher.setMaxRequestsPerHost(1);
        Asked asked = new Asked();
        ThrottleRegistry throttles = throttle().guard(asked).build();
        ThrottlingCallFactory calls = factory(throttles);
        answerWhenReleased();
        Answer first = enqueue(calls.newCall(of("first")));
        Answer second = enqueue(calls.newCall(of("second")));
        asked.threads.clear();
        dispatcher.setMaxRequestsPerHost(2); // there is a slot for the second by now, but nothing has told so
        block(throttles, "third", Duration.ofMinutes(5));
        CallOptions hurried = CallOptions.DEFAULT.maxWait(Duration.ZERO);
        Request third = of("third").newBuilder().tag(CallOptions.class, hurried).build();
        assertThat(enqueue(calls.newCall(third)).await()).isInstanceOf(ThrottleRejectedException.class);
        awaitThat(() -> server.getRequestCount() == 2);
        released.countDown();
        assertThat(first.await()).isEqualTo(200);
        assertThat(second.await()).isEqualTo(200);
        assertThat(asked.threads).doesNotContain(Thread.currentThread());
        assertIdle(throttles);
    }

    /** The end of its patience may come before the call stands in its lane. */
    @Test
    void aCallThatMayNotWaitIsRejectedWhileThereIsNoSlot() {
        plain().dispatcher().setMaxRequestsPerHost(1);
        ThrottleRegistry throttles = throttle().build();
        ThrottlingCallFactory calls = factory(throttles);
        answerWhenReleased();
        Answer first = enqueue(calls.newCall(of("first")));
        CallOptions hurried = CallOptions.DEFAULT.maxWait(Duration.ZERO);
        List<Answer> others = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            Request other =
                    of("other").newBuilder().tag(CallOptions.class, hurried).build();
            others.add(enqueue(calls.newCall(other)));
        }
        awaitThat(() -> others.stream().allMatch(Answer::isDone));
        released.countDown();
        assertThat(first.await()).isEqualTo(200);
        assertThat(others)
                .allSatisfy(answer -> assertThat(answer.await()).isInstanceOf(ThrottleRejectedException.class));
        assertIdle(throttles);
    }
}
