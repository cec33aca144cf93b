package dev.throttle.engine;

import java.util.concurrent.atomic.AtomicInteger;

/** How many pages the recordings of all keys of a registry may have together: about 64 MB. Thread-safe. */
final class RecordingSpace {

    static final int PAGES = 3_000;

    private final AtomicInteger left = new AtomicInteger(PAGES);

    /** Takes a page; {@return false if there is none} */
    boolean tryTake() {
        return left.getAndUpdate(pages -> Math.max(0, pages - 1)) > 0;
    }

    void giveBack(int pages) {
        left.addAndGet(pages);
    }
}
