package dev.throttle.lab.torture;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What happens to throttles and clients in mid-run; which one, and to whom, is a function of seed and number. */
enum Disturbance {
    RETIRE_CLIENTS,
    CANCEL_ALL,
    CANCEL_ALL_PARKED,
    PAUSE,
    STAND_STILL,
    RECONFIGURE,
    RECONFIGURE_KEY,
    DRAIN_KEY,
    PAUSE_KEY,
    EVICT;

    private static final int EVERY = 250;
    private static final int SUBJECT = 2;
    private static final int KEYS = 300;
    private static final int MANY_KEYS = 200;
    private static final long LONGEST_MILLIS = 4;

    /** {@return what comes right before a call; mostly nothing} */
    static @Nullable Disturbance before(long seed, long number) {
        if (number % EVERY != EVERY - 1) {
            return null;
        }
        return new Dice(seed, number, SUBJECT).weighted(values(), 60, 60, 60, 60, 60, 250, 100, 100, 100);
    }

    /** {@return whether it ends calls that did not ask for it} */
    boolean endsCalls() {
        return this == RETIRE_CLIENTS || this == CANCEL_ALL || this == CANCEL_ALL_PARKED;
    }

    private static void sleep(long millis) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(millis);
    }

    /** Does it to throttles; what it does to clients is not done here. */
    void disturb(ThrottleRegistry throttles, Dice dice) throws InterruptedException {
        Throttle throttle = throttles.get("k" + dice.below(KEYS));
        switch (this) {
            case PAUSE, STAND_STILL -> {
                if (this == PAUSE) {
                    throttles.pause();
                } else {
                    throttles.pauseUncounted();
                }
                sleep(dice.below((int) LONGEST_MILLIS));
                throttles.resume();
            }
            case PAUSE_KEY -> {
                throttle.pause();
                sleep(LONGEST_MILLIS);
                throttle.resume();
            }
            case DRAIN_KEY -> {
                CompletableFuture<Void> drained = throttle.drain();
                sleep(LONGEST_MILLIS);
                throttle.resume();
                drained.cancel(false);
            }
            case RECONFIGURE -> throttles.reconfigure(settings -> change(settings, dice));
            case RECONFIGURE_KEY ->
                throttle.reconfigure(settings -> settings.maxWaiting(1 + dice.below(20))
                        .limit(Strategies.inFlight().limit(3 + dice.below(5)).build()));
            case EVICT -> {
                for (int i = 0; i < MANY_KEYS; i++) {
                    throttles.get("evicts" + i);
                }
            }
            default -> {}
        }
    }

    private static void change(ThrottleRegistry.Settings settings, Dice dice) {
        settings.clearLimits().maxWaiting(Integer.MAX_VALUE).strategy(Strategies.standard());
        switch (dice.below(7)) {
            case 0 ->
                settings.limit(Strategies.inFlight().limit(3 + dice.below(5)).build());
            case 1 ->
                settings.limit(Strategies.tokenBucket()
                        .rate(10 + dice.below(100), Duration.ofSeconds(1))
                        .burst(5 + dice.below(20))
                        .build());
            case 2 ->
                settings.limit(Strategies.slidingWindowLog()
                        .limit(50 + dice.below(100))
                        .window(Duration.ofSeconds(5))
                        .build());
            case 3 ->
                settings.strategy(Strategies.named(
                        Strategies.names().get(dice.below(Strategies.names().size()))));
            case 4 -> settings.maxWaiting(dice.below(10));
            case 5 -> settings.strategy(Strategies.none());
            default -> {}
        }
    }
}
