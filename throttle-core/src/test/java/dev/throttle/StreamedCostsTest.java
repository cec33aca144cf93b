package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Streams of twenty seconds that take 4,000 tokens in the mean, of a bucket of 30,000 that gets 10,000 a second. The
 * head of an answer comes after a second, and what it took at the end. Callers estimate five times too much or too
 * little.
 */
class StreamedCostsTest {

    private static final long HALF_LATENCY = 500_000_000;
    private static final Duration STREAM = Duration.ofSeconds(20);
    private static final Duration RUN = Duration.ofMinutes(10);
    private static final double CAPACITY = 30_000;
    private static final double PER_SECOND = 10_000;

    /** When the server books what a request takes. */
    enum Books {
        AT_ARRIVAL,
        HELD,
        AT_END
    }

    private final VirtualTime time = new VirtualTime();
    private final Throttle throttle = new Timeline(time)
            .throttle(Strategies.quotaPacing().build())
            .maxWait(Duration.ofDays(1))
            .build();
    private final SplittableRandom costs = new SplittableRandom(5);
    private Books books = Books.AT_ARRIVAL;
    /** How much longer or shorter than others a stream may be, and of how many one is never settled. */
    private double spread;

    private int lostOf = Integer.MAX_VALUE;
    private int begun;
    private double level = CAPACITY;
    private long filledAt = time.nanoTime();
    private double used;
    private int refused;
    private int answered;

    private void take(double amount) {
        long now = time.nanoTime();
        level = Math.min(CAPACITY, Math.min(CAPACITY, level + PER_SECOND * (now - filledAt) / 1e9) - amount);
        filledAt = now;
    }

    private static double held(double estimate) {
        return Math.min(CAPACITY, estimate);
    }

    private ResponseHead arrive(double cost, double estimate) {
        take(0);
        double needed = switch (books) {
            case AT_ARRIVAL -> cost;
            case HELD -> held(estimate);
            case AT_END -> 1;
        };
        boolean accepted = level >= needed;
        double waitMillis = Math.ceil((needed - level) / PER_SECOND * 1000);
        take(accepted && books != Books.AT_END ? needed : 0);
        return Heads.status(
                accepted ? 200 : 429,
                "x-ratelimit-limit-tokens",
                "30000",
                "x-ratelimit-remaining-tokens",
                String.valueOf((long) Math.max(0, level)),
                "x-ratelimit-reset-tokens",
                (long) Math.ceil((CAPACITY - level) / PER_SECOND * 1000) + "ms",
                "retry-after-ms",
                String.valueOf((long) Math.max(0, waitMillis)));
    }

    private void end(double cost, double estimate) {
        used += cost;
        take(books == Books.AT_END ? cost : books == Books.HELD ? cost - held(estimate) : 0);
    }

    private void callers(int count, double factor) {
        for (int i = 0; i < count; i++) {
            next(factor);
        }
    }

    private void next(double factor) {
        double cost = Math.ceil(4000 * (0.5 + costs.nextDouble()));
        Cost estimate = Cost.of(Quota.TOKENS, Math.round(cost * factor));
        boolean isFirst = begun++ == 0; // adapters estimate nothing before the first answer
        CallOptions options = isFirst ? CallOptions.DEFAULT : CallOptions.DEFAULT.estimate(estimate);
        ask(Calls.of(throttle).newCall(options), cost, factor);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nobody is turned away
    private void ask(ThrottledCall call, double cost, double factor) {
        call.acquireAsync()
                .thenAccept(permit -> time.schedule(HALF_LATENCY, () -> {
                    ResponseHead head = arrive(cost, cost * factor);
                    time.schedule(HALF_LATENCY, () -> respond(call, permit, head, cost, factor));
                }));
    }

    private void respond(ThrottledCall call, Permit permit, ResponseHead head, double cost, double factor) {
        answered++;
        if (permit.complete(head).isRetry()) {
            refused++;
            ask(call, cost, factor);
            return;
        }
        long stream = (long) (STREAM.toNanos() * (1 + spread * (2 * costs.nextDouble() - 1)));
        boolean isLost = answered % lostOf == 0;
        time.schedule(stream - HALF_LATENCY, () -> end(cost, cost * factor));
        time.schedule(stream, () -> {
            if (!isLost) {
                permit.settle(Cost.of(Quota.TOKENS, (long) cost));
            }
            next(factor);
        });
    }

    /** The server gets 6,000,000 tokens in ten minutes, of which it loses those of the first twenty seconds. */
    @ParameterizedTest
    @CsvSource({
        "AT_ARRIVAL, 5, 0.97", "AT_ARRIVAL, 0.2, 0.97",
        "AT_END, 5, 0.88", "AT_END, 0.2, 0.88",
        "HELD, 0.2, 0.78"
    })
    void theLimitIsUsedAndFewAreRefused(Books when, double factor, double share) {
        books = when;
        callers(80, factor);
        time.advance(RUN);
        assertThat(used).isGreaterThan(share * PER_SECOND * RUN.minus(STREAM).toSeconds());
        assertThat(refused).isLessThan(answered / 20);
    }

    @ParameterizedTest
    @CsvSource({"AT_END, 5", "AT_END, 0.2", "HELD, 0.2"})
    void streamsMayTakeUnequallyLongAndSomeAreNeverSettled(Books when, double factor) {
        books = when;
        spread = 0.8;
        lostOf = 10;
        callers(80, factor);
        time.advance(RUN);
        assertThat(used).isGreaterThan(0.7 * PER_SECOND * RUN.minus(STREAM).toSeconds());
        assertThat(refused).isLessThan(answered / 10);
    }

    /** Counts are told in thousands, so the first requests show nothing. */
    @Test
    void aBucketThatLooksFullThoughRequestsTakeALittleIsNotTakenByStorm() {
        String[] full = {"x-ratelimit-limit-tokens", "50000", "x-ratelimit-remaining-tokens", "50000"};
        for (int i = 0; i < 12; i++) {
            Permit permit = Calls.of(throttle)
                    .newCall(CallOptions.DEFAULT.estimate(Cost.of(Quota.TOKENS, 400)))
                    .tryAcquire();
            time.advance(Duration.ofMillis(500));
            permit.complete(Heads.status(200, full));
            permit.settle(Cost.of(Quota.TOKENS, 400));
        }
        int admitted = 0;
        while (admitted < 100
                && Calls.of(throttle)
                                .newCall(CallOptions.DEFAULT.estimate(Cost.of(Quota.TOKENS, 4000)))
                                .tryAcquire()
                        != null) {
            admitted++;
        }
        assertThat(admitted).isBetween(3, 12);
    }

    /** One or two fit at a time, so a great deal is lost; but it was a third of this. */
    @Test
    void whereFiveTimesTooMuchIsHeldOneGoesAsSoonAsAnotherHasEnded() {
        books = Books.HELD;
        callers(80, 5);
        time.advance(RUN);
        assertThat(answered - refused).isGreaterThan(400);
        assertThat(refused).isLessThan(answered / 20);
    }
}
