package dev.throttle.engine;

import dev.throttle.AdmissionGuard;
import dev.throttle.AdmissionGuard.Pass;
import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The guards of one throttle as one. They are the user's: what they throw lets requests go on. */
public final class GuardChain {

    static final GuardChain NONE = new GuardChain(List.of());

    /** The way of an attempt past a guard that failed. */
    private static final Pass FREE = new Pass() {
        @Override
        public void onEnd(Signal signal, Duration duration) {}

        @Override
        public void onLeft() {}
    };

    /** A guard, with what has made it. */
    private record Made(Function<String, AdmissionGuard> maker, AdmissionGuard guard) {}

    private final List<Made> guards;
    private final SafeCalls safe = new SafeCalls("an admission guard", Runnable::run);

    private GuardChain(List<Made> guards) {
        this.guards = guards;
    }

    /** {@return the guards that some makers make for a key: those that are there already the same, others new ones} */
    GuardChain with(List<Function<String, AdmissionGuard>> makers, String key) {
        List<Made> left = new ArrayList<>(guards);
        List<Made> next = new ArrayList<>();
        for (Function<String, AdmissionGuard> maker : makers) {
            Made there = left.stream()
                    .filter(made -> made.maker.equals(maker))
                    .findFirst()
                    .orElseGet(() -> new Made(maker, Preconditions.required("guard", maker.apply(key))));
            left.remove(there);
            next.add(there);
        }
        return new GuardChain(List.copyOf(next));
    }

    boolean isEmpty() {
        return guards.isEmpty();
    }

    /** {@return whether some guard refuses attempts at the moment} */
    boolean isRefusing() {
        return guards.stream().anyMatch(made -> safe.get(false, made.guard::isRefusing));
    }

    /** {@return the name of a guard, and how long it goes on refusing, as far as it tells} */
    Wait describe(AdmissionGuard guard) {
        return safe.get(new Wait(0, "guard"), () -> new Wait(Math.max(0, Nanos.of(guard.retryAfter())), guard.name()));
    }

    /** Asks all guards for one attempt; {@return its passes, or the guard that refused it} */
    Passes enter() {
        Passes passes = new Passes();
        for (int i = 0; i < passes.passes.length && passes.refusedBy == null; i++) {
            passes.enter(i);
        }
        if (passes.refusedBy != null) {
            passes.leave();
        }
        return passes;
    }

    /**
     * What the guards gave one attempt. The owner of the attempt owns its passes: first the caller that asks, then the
     * permit, which ends once; so nothing is guarded here, and no guard is called under a lock.
     */
    public final class Passes {

        private final @Nullable Pass[] passes = new @Nullable Pass[guards.size()];
        private @Nullable AdmissionGuard refusedBy;

        private void enter(int index) {
            AdmissionGuard guard = guards.get(index).guard;
            Pass pass = safe.<@Nullable Pass>get(FREE, guard::tryEnter);
            passes[index] = pass;
            if (pass == null) {
                refusedBy = guard;
            }
        }

        /** {@return the guard that refuses the attempt; null if it may go on} */
        @Nullable AdmissionGuard refusedBy() {
            return refusedBy;
        }

        /** Tells the guards that the throttle lets the attempt go; {@return the guard that refuses it after all} */
        @Nullable AdmissionGuard admit() {
            for (int i = 0; i < passes.length && refusedBy == null; i++) {
                Pass pass = passes[i];
                if (pass != null && !safe.get(true, pass::onAdmitted)) {
                    refusedBy = guards.get(i).guard;
                }
            }
            return refusedBy;
        }

        /**
         * The attempt was sent and has ended.
         *
         * @param signal how it ended
         * @param duration how long it took
         */
        public void end(Signal signal, Duration duration) {
            tell(pass -> pass.onEnd(signal, duration));
        }

        /** The attempt is not sent. */
        public void leave() {
            tell(Pass::onLeft);
        }

        private void tell(Consumer<Pass> news) {
            for (Pass pass : passes) {
                if (pass != null) {
                    safe.run(() -> news.accept(pass));
                }
            }
        }
    }
}
