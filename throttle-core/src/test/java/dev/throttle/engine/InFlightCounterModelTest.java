package dev.throttle.engine;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Model checking of the packed word: admissions, ends, the flag and retirement, against plain fields. */
@Param(name = "thread", gen = ThreadIdGen.class)
@Tag("slow")
public class InFlightCounterModelTest {

    private static final int THREADS = 2;
    private static final int SLOTS = THREADS + 2;

    private final InFlightCounter traffic = new InFlightCounter(0);
    private final int[] admittedBy = new int[SLOTS];

    /** Admits unless the flag is up. */
    @Operation
    public boolean tryAdmit(@Param(name = "thread") int thread) {
        boolean admitted = traffic.tryAdmit(0);
        admittedBy[thread] += admitted ? 1 : 0;
        return admitted;
    }

    /** Ends a request of this thread unless the flag is up. */
    @Operation
    public String tryEnd(@Param(name = "thread") int thread) {
        if (admittedBy[thread] == 0) {
            return "nothing to end";
        }
        boolean ended = traffic.tryEnd();
        admittedBy[thread] -= ended ? 1 : 0;
        return ended ? "ended" : "matters";
    }

    /** Ends a request of this thread, whatever the flag says. */
    @Operation
    public String end(@Param(name = "thread") int thread) {
        if (admittedBy[thread] == 0) {
            return "nothing to end";
        }
        admittedBy[thread]--;
        traffic.end();
        return "ended";
    }

    /** Raises the flag. */
    @Operation(nonParallelGroup = "lock")
    public void raise() {
        traffic.setSlow(true);
    }

    /** Lowers the flag. */
    @Operation(nonParallelGroup = "lock")
    public void lower() {
        traffic.setSlow(false);
    }

    /** Retires. */
    @Operation(nonParallelGroup = "lock")
    public boolean tryRetire() {
        return traffic.tryRetire();
    }

    /** Counts. */
    @Operation
    public int inFlight() {
        return traffic.inFlight();
    }

    /** Counts. */
    @Operation
    public long admitted() {
        return traffic.admitted();
    }

    @Test
    void everyInterleavingIsLikeSomeSequence() {
        new ModelCheckingOptions()
                .threads(THREADS)
                .actorsPerThread(3)
                .iterations(40)
                .invocationsPerIteration(100)
                .sequentialSpecification(Sequential.class)
                .check(InFlightCounterModelTest.class);
    }

    /** Plain fields, for one thread. */
    public static class Sequential {

        private final int[] admittedBy = new int[SLOTS];
        private int inFlight;
        private long admitted;
        private boolean slow;
        private boolean retired;

        /** Admits unless the flag is up. */
        public boolean tryAdmit(int thread) {
            if (slow) {
                return false;
            }
            admittedBy[thread]++;
            inFlight++;
            admitted++;
            return true;
        }

        /** Ends a request of this thread unless the flag is up. */
        public String tryEnd(int thread) {
            return slow && admittedBy[thread] > 0 ? "matters" : end(thread);
        }

        /** Ends a request of this thread. */
        public String end(int thread) {
            if (admittedBy[thread] == 0) {
                return "nothing to end";
            }
            admittedBy[thread]--;
            inFlight--;
            return "ended";
        }

        /** Raises the flag. */
        public void raise() {
            slow = true;
        }

        /** Lowers the flag, unless retired. */
        public void lower() {
            slow = retired;
        }

        /** Retires. */
        public boolean tryRetire() {
            retired |= inFlight == 0;
            slow |= retired && inFlight == 0;
            return inFlight == 0;
        }

        /** Counts. */
        public int inFlight() {
            return inFlight;
        }

        /** Counts. */
        public long admitted() {
            return admitted;
        }
    }
}
