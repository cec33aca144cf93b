package dev.throttle.lab.server;

import java.util.SplittableRandom;

/**
 * A server of whose quota each request takes several units, drawn at random. A request that finds too few takes none,
 * and the next one needs as many, so that repeating a heavy request does not make it lighter.
 */
final class WeightedServer implements SimulatedServer {

    private final SimulatedServer server;
    private final Weight weight;
    private final int refusal;
    private final SplittableRandom random;
    private long drawn;

    WeightedServer(SimulatedServer server, Weight weight, int refusal, long seed) {
        this.server = server;
        this.weight = weight;
        this.refusal = refusal;
        this.random = new SplittableRandom(seed);
        this.drawn = draw();
    }

    private long draw() {
        return random.nextLong(weight.least(), weight.most() + 1);
    }

    @Override
    public Answer answer(long now) {
        long units = drawn;
        if (server.remaining(now) < units) {
            return new Answer(refusal, server.remaining(now), server.resetNanos(now));
        }
        drawn = draw();
        Answer answer = server.answer(now);
        for (long unit = 1; unit < units; unit++) {
            answer = server.answer(now);
        }
        return answer;
    }

    /** Nothing is left for the next request if it needs more than there is. */
    @Override
    public long remaining(long now) {
        long left = server.remaining(now);
        return left < drawn ? 0 : left;
    }

    @Override
    public long resetNanos(long now) {
        return server.resetNanos(now);
    }

    @Override
    public double grantable(long duration) {
        return server.grantable(duration) / weight.mean();
    }

    @Override
    public double sustainedPerSecond() {
        return server.sustainedPerSecond() / weight.mean();
    }
}
