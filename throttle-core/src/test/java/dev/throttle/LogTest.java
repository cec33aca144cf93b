package dev.throttle;

import static dev.throttle.Timeline.retryAfter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.logging.CapturedLog;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

/** What a throttle says in the log. */
class LogTest {

    private static final String NAME = "LogTest";

    private final Timeline line = new Timeline();
    private final Throttle throttle = line.throttle(Strategies.none())
            .name(NAME)
            .maxWait(Duration.ofMinutes(1))
            .retryPolicy(RetryPolicy.builder()
                    .backoff((attempt, random) -> Duration.ofSeconds(1).toNanos())
                    .build())
            .build();

    private static String said(String level, String what) {
        return level + " Throttle \"" + NAME + "\": " + what;
    }

    @Test
    void everyRefusalWaitAndRepetitionIsToldForDebugging() {
        try (CapturedLog log = CapturedLog.from(Level.DEBUG, NAME)) {
            Permit first = line.ask(throttle, "a").join();
            first.complete(retryAfter(Duration.ofSeconds(3)));
            CompletableFuture<Permit> again = line.record(first.acquireAgainAsync(), "a");
            line.advanceMillis(3_000);
            Permit second = again.join();
            second.complete(Signal.of(Outcome.BUSY, RateHints.NONE));
            CompletableFuture<Permit> last = line.record(second.acquireAgainAsync(), "a");
            line.advanceMillis(1_000);
            last.join().complete(retryAfter(Duration.ofHours(1)));
            assertThat(log.lines)
                    .containsExactly(
                            said(
                                    "INFO",
                                    "first refusal: attempt 1 was refused (rate-limited, told to wait 3 s); retried"),
                            said("DEBUG", "attempt 2 waits at least 3 s (retry-after)"),
                            said("DEBUG", "attempt 2 proceeds after 3 s (retry-after)"),
                            said("DEBUG", "attempt 2 was refused (busy); retried after 1 s"),
                            said("DEBUG", "attempt 3 waits at least 1 s (backoff)"),
                            said("DEBUG", "attempt 3 proceeds after 1 s (backoff)"),
                            said("INFO", "held back for 1 h (retry-after)"),
                            said(
                                    "DEBUG",
                                    "attempt 3 was refused (rate-limited, told to wait 1 h); not retried:"
                                            + " wait-too-long"));
        }
    }

    @Test
    void theRequestOfAPermitThatWasTakenWithoutACallIsTheFirstAttempt() {
        try (CapturedLog log = CapturedLog.from(Level.DEBUG, NAME)) {
            Objects.requireNonNull(throttle.tryAcquire()).complete(Signal.BUSY);
            assertThat(log.lines)
                    .containsExactly(said("INFO", "first refusal: attempt 1 was refused (busy); retried after 1 s"));
        }
    }

    @Test
    void whatIsNotRepeatedAndHasNoAnswerIsToldToo() {
        try (CapturedLog log = CapturedLog.from(Level.DEBUG, NAME)) {
            line.ask(throttle, "a").join().end(Signal.of(Outcome.BUSY, RateHints.NONE));
            line.ask(throttle, "a").join().end(Signal.FAILED);
            line.ask(throttle, "a").join().end(Signal.SUCCESS);
            assertThat(log.lines)
                    .containsExactly(
                            said("INFO", "first refusal: an attempt was refused (busy)"),
                            said("DEBUG", "an attempt failed (no answer)"));
        }
    }

    @Test
    void aKeyThatIsHeldBackLongIsNewsOnceAndOnceMoreWhenItGoesOn() {
        try (CapturedLog log = CapturedLog.from(Level.INFO, NAME)) {
            Permit first = line.ask(throttle, "a").join();
            first.end(retryAfter(Duration.ofSeconds(10)));
            line.advanceMillis(10_000);
            String refusal = said("INFO", "first refusal: an attempt was refused (rate-limited, told to wait 10 s)");
            assertThat(log.lines).containsExactly(refusal);
            line.ask(throttle, "a").join().end(retryAfter(Duration.ofSeconds(42)));
            line.ask(throttle, "b");
            line.ask(throttle, "c");
            assertThat(log.lines).containsExactly(refusal, said("INFO", "held back for 42 s (retry-after)"));
            line.advanceMillis(41_999);
            assertThat(log.lines).hasSize(2);
            line.advanceMillis(1);
            assertThat(log.lines)
                    .containsExactly(
                            refusal,
                            said("INFO", "held back for 42 s (retry-after)"),
                            said("INFO", "no longer held back, after 42 s"));
        }
    }

    @Test
    void newsOfOneKindComeOnceAMinuteAtMost() {
        try (CapturedLog log = CapturedLog.from(Level.INFO, NAME)) {
            for (int i = 0; i < 6; i++) {
                line.ask(throttle, "a").join().end(retryAfter(Duration.ofSeconds(15)));
                line.advanceMillis(15_000);
            }
            line.ask(throttle, "a");
            assertThat(log.lines)
                    .containsExactly(
                            said("INFO", "held back for 15 s (retry-after)"),
                            said("INFO", "first refusal: an attempt was refused (rate-limited, told to wait 15 s)"),
                            said("INFO", "no longer held back, after 15 s"),
                            said("INFO", "held back for 15 s (retry-after)"),
                            said("INFO", "no longer held back, after 15 s"));
        }
    }

    /** Keys that strangers choose must not fill the log. */
    @Test
    void firstRefusalsOfManyKeysAreTakenTogether() {
        ThrottleRegistry keys = line.registry(Strategies.none()).name(NAME).build();
        try (CapturedLog log = CapturedLog.from(Level.INFO, NAME)) {
            for (int i = 0; i < 1_000; i++) {
                Objects.requireNonNull(keys.get("k" + i).tryAcquire()).end(Signal.of(Outcome.BUSY, RateHints.NONE));
            }
            assertThat(log.lines)
                    .hasSize(101)
                    .allMatch(told -> told.endsWith("first refusal: an attempt was refused (busy)"));
            line.advanceMillis(60_000);
            Objects.requireNonNull(keys.get("late").tryAcquire()).end(Signal.of(Outcome.BUSY, RateHints.NONE));
            assertThat(log.lines.subList(101, log.lines.size()))
                    .containsExactly(
                            "INFO Throttle \"" + NAME + "\" (late): first refusal: an attempt was refused (busy)"
                                    + " (899 more keys had theirs since the last such message)");
        }
    }

    @Test
    void aPacedKeyIsHeldBackOnceHoweverManyWait() {
        Throttle slow = line.throttle(TestStrategies.pace(Duration.ofSeconds(20)))
                .name(NAME)
                .build();
        try (CapturedLog log = CapturedLog.from(Level.INFO, NAME)) {
            for (int i = 0; i < 5; i++) {
                line.ask(slow, "w" + i);
            }
            line.advanceMillis(200_000);
            assertThat(log.lines)
                    .containsExactly(
                            said("INFO", "held back for 20 s (pace)"),
                            said("INFO", "no longer held back, after 1 min 20 s"));
        }
    }

    @Test
    void callersThatAreTurnedAwayAreAWarningOnceAMinute() {
        try (CapturedLog log = CapturedLog.from(Level.WARN, NAME)) {
            line.ask(throttle, "a").join().end(retryAfter(Duration.ofHours(1)));
            for (int i = 0; i < 100; i++) {
                line.ask(throttle, "b");
            }
            assertThat(log.lines)
                    .containsExactly(
                            said("WARN", "the call would have to wait 1 h (retry-after), but maxWait is 1 min"));
            line.advanceMillis(59_999);
            line.ask(throttle, "b");
            assertThat(log.lines).hasSize(1);
            line.advanceMillis(1);
            line.ask(throttle, "b");
            assertThat(log.lines)
                    .hasSize(2)
                    .last()
                    .asString()
                    .endsWith("but maxWait is 1 min (100 more calls were rejected since the last such message)");
        }
    }

    @Test
    void whatIsOffIsNotCountedAndAKeyHasItsLabel() {
        Throttle keyed = line.registry(Strategies.none())
                .name(NAME)
                .label(key -> "label of " + key)
                .maxWait(Duration.ofSeconds(1))
                .build()
                .get("key");
        try (CapturedLog log = CapturedLog.from(Level.ERROR, NAME)) {
            line.ask(keyed, "a").join().end(retryAfter(Duration.ofHours(1)));
            line.ask(keyed, "b");
            assertThat(log.lines).isEmpty();
        }
        try (CapturedLog log = CapturedLog.from(Level.WARN, NAME)) {
            line.ask(keyed, "b");
            assertThat(log.lines).singleElement().asString().startsWith("WARN Throttle \"LogTest\" (label of key): ");
            assertThat(log.lines).first().asString().doesNotContain("more calls");
        }
    }

    @Test
    void whatTheProgramAskedForIsNewsOnce() {
        try (CapturedLog log = CapturedLog.from(Level.INFO, NAME)) {
            throttle.pause();
            throttle.pause();
            throttle.resume();
            throttle.resume();
            throttle.close();
            assertThat(log.lines)
                    .containsExactly(
                            said("INFO", "paused: no requests are sent"),
                            said("INFO", "running again: no longer paused or draining"),
                            said("INFO", "closed"));
        }
    }
}
