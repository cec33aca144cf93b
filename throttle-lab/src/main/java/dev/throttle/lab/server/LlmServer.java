package dev.throttle.lab.server;

import dev.throttle.signal.Quota;
import java.util.ArrayList;
import java.util.List;

/** A server that limits requests and what they cost. A request has to fit in all limits. */
final class LlmServer implements SimulatedServer {

    private final Meter requests;
    private final List<Meter> costs;
    private final List<String> units;
    private final Charge charge;

    LlmServer(long capacity, long windowNanos, long initial, TokenLimits limits) {
        this.requests = new MeterBucket(capacity, windowNanos, initial);
        this.costs = limits.meters();
        this.units = limits.units();
        this.charge = limits.charge();
    }

    @Override
    public Answer answer(long now) {
        return answer(now, Load.NONE);
    }

    @Override
    public Answer answer(long now, Load load) {
        long wait = waitNanos(now, load);
        if (wait > 0) {
            return told(Answer.TOO_MANY_REQUESTS, now).refusedFor(wait);
        }
        requests.take(now, 1);
        for (int i = 0; i < costs.size() && charge != Charge.END; i++) {
            costs.get(i).take(now, needed(i, load));
        }
        if (!load.streamed()) {
            ended(now, now, load);
        }
        return told(Answer.OK, now);
    }

    /** {@return what has to be left for a call} One that takes more than there can be needs all. */
    private long needed(int index, Load load) {
        return switch (charge) {
            case ARRIVAL -> cut(index, load.truth(index));
            case HELD -> cut(index, load.held(index));
            case END -> 1;
        };
    }

    private long cut(int index, long amount) {
        return Math.min(amount, costs.get(index).capacity());
    }

    private Answer told(int status, long now) {
        List<Told> limits = new ArrayList<>();
        limits.add(told(Quota.REQUESTS, requests, now));
        for (int i = 0; i < costs.size(); i++) {
            limits.add(told(units.get(i), costs.get(i), now));
        }
        Told first = limits.get(1);
        return new Answer(status, first.remaining(), first.resetNanos())
                .limit(first.limit())
                .telling(limits);
    }

    private static Told told(String unit, Meter meter, long now) {
        return new Told(unit, meter.capacity(), meter.remaining(now), meter.resetNanos(now));
    }

    @Override
    public void ended(long now, long arrivedAt, Load load) {
        for (int i = 0; i < costs.size() && charge != Charge.ARRIVAL; i++) {
            long booked = charge == Charge.HELD ? cut(i, load.held(i)) : 0;
            costs.get(i).correct(now, arrivedAt, load.truth(i) - booked);
        }
    }

    @Override
    public long waitNanos(long now, Load load) {
        long wait = requests.waitNanos(now, 1);
        for (int i = 0; i < costs.size(); i++) {
            wait = Math.max(wait, costs.get(i).waitNanos(now, needed(i, load)));
        }
        return wait;
    }

    @Override
    public long remaining(long now) {
        return requests.remaining(now);
    }

    @Override
    public long resetNanos(long now) {
        return Math.max(1, requests.waitNanos(now, requests.remaining(now) + 1));
    }

    @Override
    public double grantable(long duration) {
        return requests.grantable(duration);
    }

    @Override
    public double grantableCost(int index, long duration) {
        return index < costs.size() ? costs.get(index).grantable(duration) : Double.NaN;
    }

    /** How many requests it accepts depends on what they cost. */
    @Override
    public double sustainedPerSecond() {
        return Double.NaN;
    }
}
