package dev.throttle.engine;

import dev.throttle.AdmissionGuard;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Cost;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * A change of an engine's policy that is ready to be made: everything that is up to the user's code is done, without a
 * lock, and nothing has changed yet. To be applied once.
 */
public final class Adjustment {

    private final EngineState state;
    private final EngineConfig before;
    private final EnginePolicy policy;
    private final GuardChain guards;
    private final ControllerParts parts;

    /**
     * Prepares a change; throws what the user's code throws.
     *
     * @param engine whose policy is to change
     * @param key its key, for guards that are made for it
     * @param change makes the policy that is to hold of the one that holds
     */
    public Adjustment(Engine engine, String key, UnaryOperator<EnginePolicy> change) {
        this.state = engine.state;
        this.before = state.config;
        this.policy = change.apply(before.policy());
        this.guards = guards(before, key, policy);
        this.parts = before.parts().with(policy.strategies(), state.host());
    }

    /** {@return the guards of a policy: those that there are the same, others made anew} */
    private static GuardChain guards(EngineConfig before, String key, EnginePolicy policy) {
        List<Function<String, AdmissionGuard>> makers =
                new ArrayList<>(before.policy().guards());
        List<AdmissionGuard> there = new ArrayList<>(before.guards().all());
        List<AdmissionGuard> next = new ArrayList<>();
        for (Function<String, AdmissionGuard> maker : policy.guards()) {
            int at = makers.indexOf(maker);
            if (at < 0) {
                next.add(Preconditions.required("guard", maker.apply(key)));
            } else {
                makers.remove(at);
                next.add(there.remove(at));
            }
        }
        return new GuardChain(next);
    }

    /**
     * Makes the change in one step, and looks at everybody who waits again.
     *
     * @return false if nothing has changed, as the engine has retired or was changed meanwhile
     */
    public boolean apply() {
        boolean[] applied = new boolean[1];
        state.underLock(now -> {
            if (!state.traffic.isRetired() && state.config.parts() == before.parts()) {
                applied[0] = true;
                apply(now);
            }
        });
        return applied[0];
    }

    private void apply(long now) {
        // From here on every admission and every end comes to the lock: no controller may miss one that it counts.
        state.traffic.setSlow(true);
        state.controls.become(parts, policy.priorities(), state.queue.load(Cost.NONE, now, now), now);
        state.gate.follow(policy.retryAfterJitter(), policy.maxRetryAfterJitter(), !state.controls.planResets());
        state.queue.follow(policy);
        if (state.controls.countsCosts()) {
            state.countsCosts = true;
        }
        state.config = new EngineConfig(
                policy,
                guards,
                parts,
                new ResponseReader(policy.hintReader(), policy.classifier()),
                before.retries().with(policy.retryPolicy().rules()));
        state.unguarded = guards.isEmpty();
        state.parts = parts;
        reviseWaiting(now);
        state.queue.drain(now);
    }

    private void reviseWaiting(long now) {
        long maxWait = policy.maxWaitNanos();
        boolean standsStill = state.run.standsStill();
        WaitQueue queue = state.queue.queue();
        queue.revise(waiter -> {
            waiter.revise(waiter.call.leftNanos(maxWait), state.controls.cut(waiter.cost()), standsStill);
            if (waiter.resting) {
                waiter.rest = state.queue.restOf(waiter);
            }
        });
        if (!standsStill) {
            for (Waiter waiter : queue.restingInVain()) {
                state.queue.turnAway(waiter, waiter.restLeft(now), now);
            }
        }
    }
}
