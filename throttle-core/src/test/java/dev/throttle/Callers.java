package dev.throttle;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Callers of one throttle on virtual time, and what became of their requests. A refused request is repeated as the
 * retry policy says. The server sees a request after half of the latency.
 */
final class Callers {

    /** A server: it answers one request. */
    interface Server {

        ResponseHead answer();
    }

    /** One request; times in seconds since the virtual time began. */
    record Sent(double at, double waited, double answeredAt, boolean accepted) {}

    final List<Sent> sent = new ArrayList<>();
    private final VirtualTime time;
    private final Throttle throttle;
    private final CallOptions options;
    private final long halfLatencyNanos;
    private final long start;
    private Server server;
    private @Nullable SplittableRandom random;
    private long pauseNanos;

    Callers(VirtualTime time, Throttle throttle, Duration latency, Server server) {
        this(time, throttle, CallOptions.DEFAULT, latency, server);
    }

    Callers(VirtualTime time, Throttle throttle, CallOptions options, Duration latency, Server server) {
        this.time = time;
        this.options = options;
        this.throttle = throttle;
        this.halfLatencyNanos = latency.toNanos() / 2;
        this.server = server;
        this.start = time.nanoTime();
    }

    /** {@return callers of a throttle with {@code quota-pacing}, who wait for as long as they have to} */
    static Callers paced(Timeline line, long seed, Duration latency, Server server) {
        Throttle throttle = line.throttle(Strategies.quotaPacing().build())
                .maxWait(Duration.ofDays(1))
                .seed(seed)
                .build();
        return new Callers(line.time, throttle, latency, server);
    }

    /** From now on another server answers. */
    void turnTo(Server other) {
        server = other;
    }

    /**
     * From now on requests and answers are on their way for times of an exponential distribution, so some overtake.
     * Pauses are as uneven.
     */
    Callers uneven(long seed) {
        random = new SplittableRandom(seed);
        return this;
    }

    /** From now on a caller has other things to do between an answer and its next request. */
    Callers pausing(Duration pause) {
        pauseNanos = pause.toNanos();
        return this;
    }

    private long way() {
        return varied(halfLatencyNanos);
    }

    private long varied(long nanos) {
        return random == null ? nanos : (long) (-Math.log(1 - random.nextDouble()) * nanos);
    }

    /** Lets callers begin, each of which asks again as soon as it has an answer. */
    Callers untiring(int count) {
        for (int i = 0; i < count; i++) {
            ask(Calls.of(throttle).newCall(options), true);
        }
        return this;
    }

    /** Lets a new caller with one request come. */
    void one() {
        ask(Calls.of(throttle).newCall(options), false);
    }

    /** Lets a new caller with one request come now and then. */
    Callers oneEvery(Duration interval) {
        ask(Calls.of(throttle).newCall(options), false);
        time.schedule(interval.toNanos(), () -> oneEvery(interval));
        return this;
    }

    /** Lets new callers with one request each come at random times, so many a second in the mean. */
    Callers arriving(double perSecond, SplittableRandom times) {
        time.schedule((long) (-Math.log(1 - times.nextDouble()) * 1e9 / perSecond), () -> {
            one();
            arriving(perSecond, times);
        });
        return this;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // a caller that is turned away is missing from what was sent
    private void ask(ThrottledCall call, boolean again) {
        long asked = time.nanoTime();
        call.acquireAsync().thenAccept(permit -> {
            long admitted = time.nanoTime();
            time.schedule(way(), () -> {
                ResponseHead answer = server.answer();
                time.schedule(way(), () -> {
                    boolean accepted = answer.status() < 400;
                    sent.add(new Sent(seconds(admitted), (admitted - asked) / 1e9, seconds(time.nanoTime()), accepted));
                    if (permit.complete(answer).isRetry()) {
                        ask(call, again);
                    } else if (again) {
                        next();
                    }
                });
            });
        });
    }

    private void next() {
        ThrottledCall call = Calls.of(throttle).newCall(options);
        if (pauseNanos == 0) {
            ask(call, true);
        } else {
            time.schedule(varied(pauseNanos), () -> ask(call, true));
        }
    }

    private double seconds(long nanos) {
        return (nanos - start) / 1e9;
    }

    long refused() {
        return sent.stream().filter(request -> !request.accepted).count();
    }

    /** {@return how many requests that left in a time were accepted} */
    long accepted(double from, double to) {
        return between(from, to).filter(Sent::accepted).count();
    }

    /** {@return the answered requests that left in a time} */
    Stream<Sent> between(double from, double to) {
        return sent.stream().filter(request -> request.at >= from && request.at < to);
    }

    /** {@return the longest time in seconds between a request and the next one, and until what is not answered yet} */
    double longestGap(double from) {
        double[] times = Stream.concat(
                        sent.stream().map(Sent::at).filter(at -> at >= from),
                        Stream.of(seconds(time.nanoTime() - 2 * halfLatencyNanos)))
                .mapToDouble(Double::doubleValue)
                .sorted()
                .toArray();
        double longest = 0;
        for (int i = 1; i < times.length; i++) {
            longest = Math.max(longest, times[i] - times[i - 1]);
        }
        return longest;
    }

    double longestWait() {
        return sent.stream().mapToDouble(Sent::waited).max().orElse(0);
    }
}
