package dev.throttle.benchmarks;

import java.lang.management.ManagementFactory;

/** What is alive on the heap. */
final class Heap {

    private Heap() {}

    /** {@return the bytes in use after a full collection} */
    static long used() {
        System.gc();
        System.gc(); // what a first collection leaves to reference handlers is gone after the second
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
