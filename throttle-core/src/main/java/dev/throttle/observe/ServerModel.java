package dev.throttle.observe;

import dev.throttle.engine.RecordedCall;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A server with the limits that were learned. It answers as the real one would have. One thread uses it. */
final class ServerModel {

    /** How far a recorded fault reaches. */
    private static final long NEAR_NANOS = 2_000_000_000L;

    private final List<ModelLimit.Running> limits;
    private final Waits waits;
    /** How the server was when it was asked, apart from limits. */
    private final TreeMap<Long, Outcome> seen = new TreeMap<>();

    /**
     * Makes it.
     *
     * @param limits its limits
     * @param waits the times that its refusals name
     * @param calls what it was asked, from which it is known when it was away
     */
    ServerModel(List<ModelLimit> limits, Waits waits, List<RecordedCall> calls) {
        this.limits = limits.stream().map(ModelLimit.Running::new).toList();
        this.waits = waits;
        calls.forEach(call -> seen.put(arrivalOf(call), call.outcome()));
    }

    /** {@return when the server saw a request, as nearly as is known} */
    static long arrivalOf(RecordedCall call) {
        return call.at() + call.nanos() / 2;
    }

    /** {@return the answer to a request that arrives now} */
    Signal answer(Cost cost, long now) {
        Outcome fault = faultAt(now);
        if (fault.isFault() || fault == Outcome.BUSY) {
            return Signal.of(fault);
        }
        long wait = 0;
        boolean isGranted = true;
        for (ModelLimit.Running limit : limits) {
            double amount = limit.limit.amount(cost);
            limit.advance(now);
            if (!limit.grants(amount, now)) {
                isGranted = false;
                wait = Math.max(wait, limit.waitNanos(amount, now));
            }
        }
        List<Quota> told = new ArrayList<>();
        for (ModelLimit.Running limit : limits) {
            if (isGranted) {
                limit.take(limit.limit.amount(cost), now);
            }
            Quota quota = limit.tell(now);
            if (quota != null) {
                told.add(quota);
            }
        }
        Duration retryAfter = isGranted ? null : waits.of(wait);
        return Signal.of(isGranted ? Outcome.SUCCESS : Outcome.RATE_LIMITED, new RateHints(retryAfter, told));
    }

    /** {@return how the request ended that was recorded nearest} */
    private Outcome faultAt(long now) {
        Map.Entry<Long, Outcome> before = seen.floorEntry(now);
        Map.Entry<Long, Outcome> after = seen.ceilingEntry(now);
        if (before == null || (after != null && after.getKey() - now < now - before.getKey())) {
            before = after;
        }
        boolean isNear = before != null && Math.abs(before.getKey() - now) <= NEAR_NANOS;
        return isNear ? before.getValue() : Outcome.SUCCESS;
    }
}
