package dev.throttle;

import dev.throttle.engine.PoolLine;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The state of a pool at one moment. See {@link Pool#snapshot()}. The state of each member is that of its throttle.
 *
 * @param name the name of the pool
 * @param waiting calls in the line of the pool
 * @param waitingByPriority the same by priority; every priority is present
 * @param rejected how many calls were rejected so far because no member could let them go in time
 * @param members the members, in the order in which they were given
 */
public record PoolSnapshot(
        String name, int waiting, Map<Priority, Integer> waitingByPriority, long rejected, List<Member> members) {

    /**
     * A member of a pool at one moment.
     *
     * @param label its key, as it is shown
     * @param tier its tier
     * @param chosen how many attempts the pool has sent to it so far
     */
    public record Member(String label, int tier, long chosen) {}

    static PoolSnapshot of(PoolLine line) {
        Map<Priority, Integer> waiting = new EnumMap<>(Priority.class);
        for (Priority priority : Priority.values()) {
            waiting.put(priority, line.waiting(priority));
        }
        return new PoolSnapshot(
                line.name(),
                line.waiting(),
                Collections.unmodifiableMap(waiting),
                line.rejected(),
                line.members().stream()
                        .map(member -> new Member(member.label(), member.tier(), member.chosen()))
                        .toList());
    }
}
