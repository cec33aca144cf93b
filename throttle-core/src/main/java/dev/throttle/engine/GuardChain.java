package dev.throttle.engine;

import dev.throttle.AdmissionGuard;
import dev.throttle.AdmissionGuard.Pass;
import dev.throttle.internal.Faults;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The guards of one throttle as one. They are the user's: what they throw lets requests go on. */
public final class GuardChain {

    /** The way of an attempt past a guard that failed. */
    private static final Pass FREE = new Pass() {
        @Override
        public void onEnd(Signal signal, Duration duration) {}

        @Override
        public void onLeft() {}
    };

    private final AdmissionGuard[] guards;
    private final Faults faults = new Faults("an admission guard");

    GuardChain(List<AdmissionGuard> guards) {
        this.guards = guards.toArray(AdmissionGuard[]::new);
    }

    List<AdmissionGuard> all() {
        return List.of(guards);
    }

    boolean isEmpty() {
        return guards.length == 0;
    }

    /** {@return whether some guard refuses attempts at the moment} */
    boolean isRefusing() {
        for (AdmissionGuard guard : guards) {
            if (test(guard, AdmissionGuard::isRefusing, false)) {
                return true;
            }
        }
        return false;
    }

    /** {@return the name of a guard, and how long it goes on refusing, as far as it tells} */
    Wait describe(AdmissionGuard guard) {
        try {
            return new Wait(Math.max(0, Nanos.of(guard.retryAfter())), guard.name());
        } catch (Throwable e) {
            faults.report(e);
            return new Wait(0, "guard");
        }
    }

    /** Asks all guards for one attempt; {@return its passes, or the guard that refused it} */
    Passes enter() {
        Passes passes = new Passes();
        for (int i = 0; i < guards.length && passes.refusedBy == null; i++) {
            passes.enter(i);
        }
        if (passes.refusedBy != null) {
            passes.leave();
        }
        return passes;
    }

    private <T> boolean test(T part, Predicate<T> question, boolean otherwise) {
        try {
            return question.test(part);
        } catch (Throwable e) {
            faults.report(e);
            return otherwise;
        }
    }

    /**
     * What the guards gave one attempt. The owner of the attempt owns its passes: first the caller that asks, then the
     * permit, which ends once; so nothing is guarded here, and no guard is called under a lock.
     */
    public final class Passes {

        private final @Nullable Pass[] passes = new @Nullable Pass[guards.length];
        private @Nullable AdmissionGuard refusedBy;

        private void enter(int index) {
            try {
                passes[index] = guards[index].tryEnter();
                if (passes[index] == null) {
                    refusedBy = guards[index];
                }
            } catch (Throwable e) {
                faults.report(e);
                passes[index] = FREE;
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
                if (pass != null && !test(pass, Pass::onAdmitted, true)) {
                    refusedBy = guards[i];
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
                    test(pass, told(news), true);
                }
            }
        }
    }

    private static Predicate<Pass> told(Consumer<Pass> news) {
        return pass -> {
            news.accept(pass);
            return true;
        };
    }
}
