package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleSnapshot;
import dev.throttle.testing.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Dispatcher;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;

/** What is measured of the call factory under load: threads, memory, bursts and cancelled calls. */
class CallFactoryLoadTest extends LoopbackTest {

    private static final int MANY = 10_000;

    private final ThrottleRegistry throttles = throttle().build();

    private static Set<Thread> okHttpThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("OkHttp ")
                        && !thread.getName().contains("TaskRunner")) // it may tidy up after another test
                .collect(Collectors.toSet());
    }

    @Test
    void tenThousandParkedCallsUseNoThreadOfOkHttp() throws Exception {
        ThrottlingCallFactory calls = ThrottlingCallFactory.create(plain(), throttles);
        block(throttles, keyOf(get("/")), Duration.ofMinutes(5));
        Dispatcher dispatcher = plain().dispatcher();
        Set<Thread> before = okHttpThreads();
        CountDownLatch ended = new CountDownLatch(MANY);
        Request request = get("/");
        for (int i = 0; i < MANY; i++) {
            calls.newCall(request).enqueue(new Callback() {
                @Override
                public void onResponse(Call call, Response response) {
                    response.close();
                }

                @Override
                public void onFailure(Call call, IOException e) {
                    ended.countDown();
                }
            });
        }
        Set<Thread> during = okHttpThreads();
        during.removeAll(before);
        assertThat(calls.parkedCallsCount()).isEqualTo(MANY);
        assertThat(throttles.get(keyOf(request)).snapshot().waiting()).isEqualTo(MANY);
        assertThat(dispatcher.runningCallsCount()).isZero();
        assertThat(dispatcher.queuedCallsCount()).isZero();
        assertThat(during).isEmpty();
        calls.cancelAll();
        assertThat(ended.await(2, TimeUnit.MINUTES)).isTrue();
        assertThat(okHttpThreads().size() - before.size()).isLessThanOrEqualTo(dispatcher.getMaxRequests());
        assertThat(calls.parkedCallsCount()).isZero();
        assertIdle(throttles);
    }

    @Test
    void fiveParkedCallsDoNotDelayASixth() {
        ThrottlingCallFactory calls = ThrottlingCallFactory.create(plain(), throttles);
        block(throttles, keyOf(get("/")), Duration.ofMinutes(5));
        answerAlways(200);
        for (int i = 0; i < 5; i++) {
            enqueue(calls.newCall(get("/slow")));
        }
        assertThat(calls.parkedCallsCount()).isEqualTo(5);
        Request exempt = get("/fast")
                .newBuilder()
                .tag(CallOptions.class, CallOptions.exempt())
                .build();
        for (int i = 0; i < 11; i++) {
            assertThat(enqueue(calls.newCall(exempt)).await()).isEqualTo(200);
            assertThat(enqueue(plain().newCall(get("/fast"))).await()).isEqualTo(200);
        }
        assertThat(calls.parkedCallsCount()).isEqualTo(5);
        calls.cancelAll();
    }

    /** The server stalls for twice the window, in which nobody gains a permit to use after it. */
    @Test
    void aStallOfTheServerIsNotFollowedByABurst() {
        int limit = 20;
        Duration window = Duration.ofMillis(250);
        Duration interval = window.dividedBy(limit);
        VirtualTime time = new VirtualTime();
        ThrottleRegistry paced =
                throttle().time(time).strategy(new TestPace(interval)).build();
        Throttle throttle = paced.get(keyOf(get("/")));
        ThrottlingCallFactory calls = ThrottlingCallFactory.create(plain(), paced);
        List<Long> arrivals = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch stall = new CountDownLatch(1);
        int slots = plain().dispatcher().getMaxRequestsPerHost();
        answer(request -> {
            arrivals.add(time.nanoTime());
            if (arrivals.size() <= slots) {
                await(stall);
            }
            return status(200);
        });
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            answers.add(enqueue(calls.newCall(get("/"))));
        }
        for (int i = 1; i <= slots; i++) {
            int arrived = i;
            awaitThat(() -> arrivals.size() == arrived);
            time.advance(interval);
        }
        // Who is let go now finds no slot, and gives his permit back, until nobody is left to be let go.
        awaitThat(() ->
                throttle.snapshot().inFlight() == slots && throttle.snapshot().waiting() == 0);
        time.advance(window.multipliedBy(2));
        stall.countDown();
        while (!answers.stream().allMatch(Answer::isDone)) {
            awaitThat(() -> {
                ThrottleSnapshot now = throttle.snapshot();
                return now.inFlight() == 0 && (now.waiting() > 0 || calls.parkedCallsCount() == 0);
            });
            time.advance(interval);
        }
        assertThat(answers).allSatisfy(answer -> assertThat(answer.await()).isEqualTo(200));
        // One more than the limit may have been let go just before the time moved, and have arrived after it.
        assertThat(mostIn(window, arrivals)).isLessThanOrEqualTo(limit + 1);
        assertIdle(paced);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(2, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int mostIn(Duration window, List<Long> arrivals) {
        List<Long> sorted = new ArrayList<>(arrivals);
        Collections.sort(sorted);
        int most = 0;
        int from = 0;
        for (int to = 0; to < sorted.size(); to++) {
            while (sorted.get(to) - sorted.get(from) >= window.toNanos()) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }

    @Test
    void cancelAndTimerRaceAndEveryCallEndsOnce() throws Exception {
        plain().dispatcher().setMaxRequestsPerHost(64);
        VirtualTime time = new VirtualTime();
        ThrottleRegistry still = throttle().time(time).build();
        ThrottlingCallFactory calls = ThrottlingCallFactory.create(
                plain().newBuilder()
                        .addInterceptor(chain -> {
                            throw new IOException("not sent");
                        })
                        .build(),
                still);
        AtomicIntegerArray callbacks = new AtomicIntegerArray(MANY);
        AtomicInteger canceled = new AtomicInteger();
        CountDownLatch ended = new CountDownLatch(MANY);
        SplittableRandom random = new SplittableRandom(1);
        int batch = 100;
        for (int first = 0; first < MANY; first += batch) {
            block(still, keyOf(get("/")), Duration.ofMillis(4));
            List<Call> parked = new ArrayList<>();
            for (int i = first; i < first + batch; i++) {
                int number = i;
                Call call = calls.newCall(get("/"));
                parked.add(call);
                call.enqueue(new Callback() {
                    @Override
                    public void onResponse(Call c, Response response) {
                        response.close();
                    }

                    @Override
                    public void onFailure(Call c, IOException e) {
                        callbacks.incrementAndGet(number);
                        if ("Canceled".equals(e.getMessage())) {
                            canceled.incrementAndGet();
                        }
                        ended.countDown();
                    }
                });
            }
            Collections.shuffle(parked, new java.util.Random(first));
            parked.get(0).cancel();
            long pause = random.nextInt(200_000);
            Thread timer = new Thread(() -> {
                LockSupport.parkNanos(pause);
                time.advance(Duration.ofMillis(4));
            });
            timer.start();
            parked.forEach(Call::cancel);
            timer.join();
        }
        assertThat(ended.await(2, TimeUnit.MINUTES)).isTrue();
        awaitThat(() -> calls.parkedCallsCount() == 0);
        assertIdle(still);
        for (int i = 0; i < MANY; i++) {
            assertThat(callbacks.get(i)).isEqualTo(1);
        }
        assertThat(canceled.get()).isBetween(100, MANY);
    }
}
