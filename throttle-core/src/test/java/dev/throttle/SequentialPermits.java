package dev.throttle;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The answers of {@link PermitOperations} on one thread: some permits, and a queue for each throttle. Queues in which
 * callers wait take turns.
 */
public abstract class SequentialPermits {

    private final List<Deque<Integer>> queues = new ArrayList<>();
    /** The numbers of the queues in which callers wait, in the order of their turns. */
    private final Deque<Integer> turns = new ArrayDeque<>();

    private final Set<Integer> holders = new HashSet<>();
    private int permits;

    protected SequentialPermits(int permits, int throttles) {
        this.permits = permits;
        for (int i = 0; i < throttles; i++) {
            queues.add(new ArrayDeque<>());
        }
    }

    private int queueOf(int who) {
        return who % queues.size();
    }

    /** Takes a permit if one is free. */
    public String tryAcquire(int who) {
        if (!look(who).equals("idle")) {
            return "busy";
        }
        if (holders.size() >= permits) {
            return "none";
        }
        holders.add(who);
        return "granted";
    }

    /** Takes a permit or a place in the queue. */
    public String acquireAsync(int who) {
        if (!look(who).equals("idle")) {
            return "busy";
        }
        Deque<Integer> queue = queues.get(queueOf(who));
        if (queue.isEmpty()) {
            turns.add(queueOf(who));
        }
        queue.add(who);
        admit();
        return look(who);
    }

    /** Looks whether the turn has come. */
    public String look(int who) {
        return holders.contains(who) ? "granted" : queues.get(queueOf(who)).contains(who) ? "waits" : "idle";
    }

    /** Gives up. */
    public String cancel(int who) {
        Deque<Integer> queue = queues.get(queueOf(who));
        if (queue.remove(who)) {
            if (queue.isEmpty()) {
                turns.remove(queueOf(who));
            }
            return "gone";
        }
        return leave(who) ? "gone" : "idle";
    }

    /** Ends the request. */
    public String complete(int who) {
        return leave(who) ? "ended" : "nothing to end";
    }

    private boolean leave(int who) {
        boolean held = holders.remove(who);
        admit();
        return held;
    }

    /** Changes how many permits there are. */
    protected void permits(int number) {
        permits = number;
        admit();
    }

    private void admit() {
        while (!turns.isEmpty() && holders.size() < permits) {
            int turn = turns.remove();
            holders.add(queues.get(turn).remove());
            if (!queues.get(turn).isEmpty()) {
                turns.add(turn);
            }
        }
    }
}
