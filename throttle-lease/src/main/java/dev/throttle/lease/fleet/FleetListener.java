package dev.throttle.lease.fleet;

import dev.throttle.Throttle;
import dev.throttle.ThrottleListener;
import dev.throttle.lease.fleet.FleetMemory.Hearing;
import dev.throttle.signal.Signal;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Joins each throttle that it listens to with the memory of the fleet, once. Thread-safe. */
final class FleetListener implements ThrottleListener {

    private final FleetMemory memory;
    private final Hearing hear;
    private final Map<Source, Member> joined = new ConcurrentHashMap<>();

    FleetListener(FleetMemory memory, Hearing hear) {
        this.memory = memory;
        this.hear = hear;
    }

    @Override
    public void onCreated(Source throttle) {
        member(throttle);
    }

    private Member member(Source throttle) {
        Member member = joined.get(throttle);
        if (member == null) {
            member = memory.join((Throttle) throttle, hear);
            joined.put(throttle, member);
            if (throttle.isEvicted()) {
                onEvicted(throttle);
            }
        }
        return member;
    }

    @Override
    public void onEvicted(Source throttle) {
        joined.remove(throttle);
        if (throttle.isEvicted()) {
            memory.forget((Throttle) throttle);
        }
    }

    @Override
    public void onSignal(Source throttle, Signal signal) {
        memory.note(member(throttle), signal);
    }
}
