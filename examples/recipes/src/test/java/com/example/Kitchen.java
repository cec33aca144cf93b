package com.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.example.RecipeServer.Vendor;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import mockwebserver3.RecordedRequest;

/** What a recipe is tried with: a server, a registry, and a time for both that passes at once when somebody waits. */
final class Kitchen implements AutoCloseable {

    /** More than two windows let through. */
    private static final int CALLS = 12;

    private final RecipeTime time = new RecipeTime(VirtualTime.autoAdvancing());
    private final SettledCosts settled = new SettledCosts();
    private final long begin = time.nanoTime();

    final RecipeServer server;
    final ThrottleRegistry throttles;

    Kitchen(Vendor vendor, Function<RecordedRequest, String> answers) {
        this(vendor, answers, ThrottleRegistry.builder());
    }

    Kitchen(Vendor vendor, Function<RecordedRequest, String> answers, ThrottleRegistry.Builder settings) {
        server = new RecipeServer(time, vendor, answers);
        throttles = settings.limit(settled).time(time).build();
    }

    /** {@return a second server, on the same time} */
    RecipeServer another(Vendor vendor, Function<RecordedRequest, String> answers) {
        return new RecipeServer(time, vendor, answers);
    }

    /**
     * Makes twelve calls, one after the other. Each must return what is expected of it, though the server refuses the
     * first one, and accepts five in a minute. It must not refuse another, and know of no request that the throttle
     * does not know.
     */
    void tryOut(String expected, Callable<String> call) throws Exception {
        int before = server.accepted();
        for (int i = 0; i < CALLS; i++) {
            assertEquals(expected, call.call());
        }
        assertEquals(CALLS, server.accepted() - before);
        assertEquals(1, server.refused());
        assertEquals(server.accepted(), throttle().count(Outcome.SUCCESS));
        assertEquals(1, throttle().count(Outcome.RATE_LIMITED));
        assertTrue(waited().toMinutes() >= 2, () -> waited().toString());
    }

    /** {@return how much time has passed} */
    Duration waited() {
        return Duration.ofNanos(time.nanoTime() - begin);
    }

    /** {@return what a future brings, while time passes} */
    <T> T await(CompletableFuture<T> future) {
        while (!future.isDone()) {
            if (!time.virtual().advanceToNextTask()) {
                Thread.yield(); // another thread is at work
            }
        }
        return future.join();
    }

    /** {@return what a call brings that blocks its thread, while time passes} */
    <T> T onAnotherThread(Supplier<T> call) throws InterruptedException {
        return await(CompletableFuture.supplyAsync(call, task -> new Thread(task).start()));
    }

    /** {@return the only throttle} */
    Throttle throttle() {
        Collection<Throttle> all = throttles.all();
        assertEquals(1, all.size(), all::toString);
        return all.iterator().next();
    }

    void assertKey(String key) {
        assertEquals(key, throttle().snapshot().label());
    }

    /** Asserts what each call has cost, and of which units the server has told. */
    void assertCosts(Cost each, String... units) {
        assertEquals(List.of(each), settled.all.stream().distinct().toList());
        List<String> told = throttle().snapshot().quotas().stream()
                .map(Quota::unit)
                .distinct()
                .sorted()
                .toList();
        assertEquals(List.of(units), told);
    }

    @Override
    public void close() {
        server.close();
    }
}
