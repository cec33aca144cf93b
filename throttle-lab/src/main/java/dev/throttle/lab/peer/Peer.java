package dev.throttle.lab.peer;

import dev.throttle.lab.sim.Client;
import dev.throttle.signal.Cost;
import dev.throttle.signal.HintReader;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A client that is not of this library. Each attempt leaves after a delay; after a refusal the kind of the client says
 * how long the call waits, and whether it is repeated at all. A call whose waits would exceed the longest is given up.
 */
abstract class Peer implements Client {

    static final double SECOND = 1e9;

    private final TimeSource time;
    private final SplittableRandom random;
    private final long maxWaitNanos;

    Peer(Surroundings surroundings) {
        Duration maxWait = surroundings.maxWait();
        this.time = surroundings.time();
        this.random = new SplittableRandom(surroundings.seed());
        this.maxWaitNanos = maxWait == null ? Long.MAX_VALUE : maxWait.toNanos();
    }

    private static final ResponseHead NO_ANSWER = new ResponseHead() {
        @Override
        public int status() {
            return 503;
        }

        @Override
        public void forEachHeader(HeaderVisitor visitor) {
            // there are none
        }
    };

    /** An answer of {@link #retryDelayNanos}: the call is given up. */
    static final long GIVE_UP = -1;

    /** {@return how long an attempt waits for the client as a whole, which counts it as sent} */
    long admitNanos() {
        return 0;
    }

    /**
     * {@return how long a refused call waits, or {@link #GIVE_UP}}
     *
     * @param attempts how many attempts it has made
     */
    abstract long retryDelayNanos(int attempts, ResponseHead response, RateHints hints);

    /** Learns of every answer. */
    void answered(ResponseHead response, long sentAt) {}

    /** Runs the attempt when the client has room for it. */
    void whenRoom(Attempt attempt) {
        attempt.leave();
    }

    final long now() {
        return time.nanoTime();
    }

    final double draw() {
        return random.nextDouble();
    }

    /** {@return a random part of a wait that doubles with each attempt, up to a longest one} */
    final long fullJitter(double baseSeconds, double capSeconds, int attempts) {
        double most = Math.min(capSeconds, baseSeconds * Math.scalb(1.0, Math.min(60, attempts - 1)));
        return (long) (draw() * most * SECOND);
    }

    static long nanos(@Nullable Duration duration) {
        return duration == null ? 0 : duration.toNanos();
    }

    @Override
    public final Call newCall(@Nullable Cost estimate) {
        return new Attempt();
    }

    /** A call and its attempt under way. */
    final class Attempt implements Call {

        private int attempts;
        private long retryDelay;
        private long waited;
        private long askedAt;
        private long sentAt;
        private Runnable granted = () -> {};
        private boolean cancelled;

        @Override
        public void ask(Runnable whenGranted, Runnable whenRejected) {
            granted = whenGranted;
            askedAt = now();
            if (retryDelay == 0) {
                admit();
            } else {
                time.schedule(retryDelay, this::admit);
            }
        }

        private void admit() {
            long delay = admitNanos();
            if (delay == 0) {
                whenRoom(this);
            } else {
                time.schedule(delay, () -> whenRoom(this));
            }
        }

        boolean isCancelled() {
            return cancelled;
        }

        void leave() {
            if (!cancelled) {
                attempts++;
                sentAt = now();
                waited += sentAt - askedAt;
                granted.run();
            }
        }

        @Override
        public boolean answered(ResponseHead response) {
            Peer.this.answered(response, sentAt);
            if (response.status() == 200) {
                return false;
            }
            RateHints hints = HintReader.standard().read(response, time.currentTimeMillis());
            retryDelay = retryDelayNanos(attempts, response, hints);
            return retryDelay != GIVE_UP && retryDelay <= maxWaitNanos - waited;
        }

        /** To other programs it is a server that is too busy to say more. */
        @Override
        public boolean unanswered() {
            return answered(NO_ANSWER);
        }

        @Override
        public void giveBack() {
            cancelled = true;
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }
}
