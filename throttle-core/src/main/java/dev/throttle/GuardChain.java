package dev.throttle;

import dev.throttle.AdmissionGuard.Pass;
import dev.throttle.internal.Faults;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The guards of one throttle as one. They are the user's: what they throw lets requests go on. */
final class GuardChain {

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

    Faults faults() {
        return faults;
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

    /** What the guards gave one attempt. */
    final class Passes {

        private final @Nullable Pass[] passes = new @Nullable Pass[guards.length];
        private @Nullable AdmissionGuard refusedBy;
        private boolean ended;

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
        synchronized @Nullable AdmissionGuard refusedBy() {
            return refusedBy;
        }

        /** Tells the guards that the throttle lets the attempt go. */
        synchronized void admit() {
            for (int i = 0; i < passes.length && refusedBy == null && !ended; i++) {
                Pass pass = passes[i];
                if (pass != null && !test(pass, Pass::onAdmitted, true)) {
                    refusedBy = guards[i];
                }
            }
        }

        void end(Signal signal, Duration duration) {
            endOnce(pass -> pass.onEnd(signal, duration));
        }

        void leave() {
            endOnce(Pass::onLeft);
        }

        /** A monitor, so that a cancellation cannot come between a guard and its last question. */
        private synchronized void endOnce(Consumer<Pass> news) {
            if (ended) {
                return;
            }
            ended = true;
            for (Pass pass : passes) {
                if (pass != null) {
                    test(pass, p -> tell(p, news), true);
                }
            }
        }

        private static boolean tell(Pass pass, Consumer<Pass> news) {
            news.accept(pass);
            return true;
        }
    }
}
