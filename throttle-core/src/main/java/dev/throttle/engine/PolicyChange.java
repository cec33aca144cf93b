package dev.throttle.engine;

import dev.throttle.AdmissionGuard;
import dev.throttle.internal.Preconditions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * A change of an engine's policy that is ready to be made: everything that is up to the user's code is done, without a
 * lock, and nothing has changed yet. To be applied once.
 */
public final class PolicyChange {

    private final Engine engine;
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
    public PolicyChange(Engine engine, String key, UnaryOperator<EnginePolicy> change) {
        this.engine = engine;
        this.before = engine.config();
        this.policy = change.apply(before.policy());
        this.guards = guards(before, key, policy);
        this.parts = before.parts().with(policy.strategies(), engine.host());
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
     * Makes the change in one step, and looks at all calls that wait again.
     *
     * @return false if nothing has changed, as the engine has retired or was changed meanwhile
     */
    public boolean apply() {
        return engine.replace(before, policy, guards, parts);
    }
}
