package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The calls that an engine has watched while it only observed. It keeps about 50,000 of them, in up to 2 MB. When it is
 * full, it drops the oldest page that has no refusal, nor has the page after it; if all have, the oldest one. What it
 * counts it counts of all calls. Thread-safe.
 */
public final class Recording {

    private static final int MOST_PAGES = 96;
    /** How long after a refusal the same request counts as its repetition. */
    private static final long REPEATED_WITHIN_NANOS = 600_000_000_000L;
    /** How often the log says what was counted. */
    private static final long TOLD_EVERY_NANOS = 3_600_000_000_000L;

    /**
     * What was recorded.
     *
     * @param since when it began
     * @param calls how many calls were watched in all
     * @param refusals how many of them a limit has refused
     * @param spans what was kept: calls without a gap, by the time they were sent
     */
    public record Content(long since, long calls, long refusals, List<List<RecordedCall>> spans) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final RecordingSpace space;
    private final long since;
    private final QuotaShapes shapes = new QuotaShapes();
    /** Guarded by the lock, as all that follow. The numbers of the pages tell where some are missing. */
    private final List<Numbered> pages = new ArrayList<>();

    private long made;
    private long calls;
    private long refusals;
    private boolean isClosed;
    /** When a call was refused last; read without the lock. */
    private volatile long refusedAt;

    private volatile boolean hasRefused;
    private final AtomicLong tellAt;

    private record Numbered(long number, RecordingPage page) {}

    Recording(RecordingSpace space, long now) {
        this.space = space;
        this.since = now;
        this.tellAt = new AtomicLong(now + TOLD_EVERY_NANOS);
    }

    /** {@return whether it matters which request a call has: it was refused, or others were a short time ago} */
    boolean tellsApart(Signal signal, long now) {
        return signal.outcome().isRefusal() || (hasRefused && now - refusedAt < REPEATED_WITHIN_NANOS);
    }

    void add(CallOptions options, Cost cost, Signal signal, int print, long admittedAt, long now) {
        RecordedCall call = new RecordedCall(
                admittedAt,
                Math.max(0, now - admittedAt),
                options,
                cost,
                signal.outcome(),
                signal.hints().retryAfter(),
                signal.hints().quotas(),
                print);
        lock.lock();
        try {
            calls++;
            if (call.isRefused()) {
                refusals++;
                refusedAt = now;
                hasRefused = true;
            }
            RecordingPage page = pageForNext();
            if (page != null) {
                page.add(call, shapes);
            }
        } finally {
            lock.unlock();
        }
    }

    /** {@return whether it is time to say in the log what was counted; true once an hour} */
    boolean isToBeTold(long now) {
        long due = tellAt.get();
        return now - due >= 0 && tellAt.compareAndSet(due, now + TOLD_EVERY_NANOS);
    }

    /** {@return what was counted, without the calls} */
    Content counts() {
        lock.lock();
        try {
            return new Content(since, calls, refusals, List.of());
        } finally {
            lock.unlock();
        }
    }

    private @Nullable RecordingPage pageForNext() {
        Numbered last = pages.isEmpty() ? null : pages.get(pages.size() - 1);
        if (last != null && !last.page.isFull()) {
            return last.page;
        }
        if (isClosed) {
            return null;
        }
        if (pages.size() == MOST_PAGES || !space.tryTake()) {
            if (pages.isEmpty()) {
                return null;
            }
            pages.remove(leastWanted());
        }
        RecordingPage next = new RecordingPage();
        pages.add(new Numbered(made++, next));
        return next;
    }

    private int leastWanted() {
        for (int i = 0; i < pages.size() - 1; i++) {
            if (pages.get(i).page.refusals() == 0 && pages.get(i + 1).page.refusals() == 0) {
                return i;
            }
        }
        return 0;
    }

    /** A call has truly taken this. Without effect if it is no longer kept, or ended long ago. */
    void settled(long admittedAt, Cost actual) {
        lock.lock();
        try {
            for (int i = pages.size() - 1; i >= Math.max(0, pages.size() - 2); i--) {
                if (pages.get(i).page.settle(admittedAt, actual)) {
                    return;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** {@return whether something would be lost with it} */
    boolean isEmpty() {
        lock.lock();
        try {
            return pages.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Gives its memory to others. */
    void close() {
        lock.lock();
        try {
            isClosed = true;
            space.giveBack(pages.size());
            pages.clear();
        } finally {
            lock.unlock();
        }
    }

    /** {@return what is recorded now} */
    public Content read() {
        lock.lock();
        try {
            List<List<RecordedCall>> spans = new ArrayList<>();
            long before = -2;
            for (Numbered page : pages) {
                if (page.number != before + 1) {
                    spans.add(new ArrayList<>());
                }
                before = page.number;
                spans.get(spans.size() - 1).addAll(page.page.read(shapes));
            }
            spans.forEach(span -> span.sort(Comparator.comparingLong(call -> call.at() - since)));
            return new Content(since, calls, refusals, spans);
        } finally {
            lock.unlock();
        }
    }
}
