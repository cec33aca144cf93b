package dev.throttle.lab.server;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A server that has outages, refuses some requests for no reason, and whose replicas disagree about what is left. */
final class DisturbedServer extends ServerFilter {

    private static final long SECOND = 1_000_000_000L;

    private final List<Outage> outages;
    private final List<Stray> strays;
    /** The multiple of its time for which a stray refusal has been sent. */
    private final long[] sentFor;

    private final long jitterRemaining;
    private final SplittableRandom random;
    private long answers;

    DisturbedServer(SimulatedServer server, ServerScript script, long seed) {
        super(server);
        this.outages = script.outages();
        this.strays = script.strays();
        this.sentFor = new long[strays.size()];
        this.jitterRemaining = script.jitterRemaining();
        this.random = new SplittableRandom(seed);
    }

    @Override
    public Answer answer(long now, Load load) {
        answers++;
        Outage outage = outageAt(now);
        if (outage != null) {
            return new Answer(outage.status(), Answer.UNKNOWN, Answer.UNKNOWN);
        }
        for (int i = 0; i < strays.size(); i++) {
            Stray stray = strays.get(i);
            if (isDue(stray, i, now)) {
                Answer refusal = new Answer(stray.status(), server.remaining(now), server.resetNanos(now));
                return told(stray.hint() ? refusal.retryAfter(SECOND) : refusal.unexplained());
            }
        }
        return told(server.answer(now, load));
    }

    private boolean isDue(Stray stray, int index, long now) {
        if (stray.number() > 0) {
            return stray.number() == answers;
        }
        Duration every = stray.every();
        if (every == null) {
            return random.nextDouble() < stray.share();
        }
        long multiple = now / every.toNanos();
        boolean due = multiple > sentFor[index];
        sentFor[index] = multiple;
        return due;
    }

    private Answer told(Answer answer) {
        if (jitterRemaining == 0 || answer.remaining() == Answer.UNKNOWN) {
            return answer;
        }
        long error = random.nextLong(-jitterRemaining, jitterRemaining + 1);
        return answer.remaining(Math.max(0, answer.remaining() + error));
    }

    private @Nullable Outage outageAt(long now) {
        for (Outage outage : outages) {
            if (now >= outage.from().toNanos() && now < outage.end().toNanos()) {
                return outage;
            }
        }
        return null;
    }

    @Override
    long awayNanos(long now) {
        Outage outage = outageAt(now);
        return outage == null ? 0 : outage.end().toNanos() - now;
    }
}
