package dev.throttle;

import java.lang.management.ManagementFactory;

/** What is in memory. */
final class Heap {

    private Heap() {}

    /** {@return what is left of the heap's contents after a collection} */
    static long heldBytes() {
        System.gc();
        System.gc(); // what finalizers and cleaners have let go
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
