package dev.throttle.engine;

import dev.throttle.internal.CallbackPool;
import dev.throttle.internal.Faults;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Tells what has happened to a throttle: events for listeners and messages for the log, one after the other, in the
 * order in which they were posted. Anything may be posted under the engine's lock; nothing is delivered under it.
 *
 * <p>Asynchronous callers whose wait has ended are told too, each by a task of its own on the executor, and throttles
 * that share a limit are woken.
 *
 * <p>A thread delivers its own messages, if none of another thread comes before them. Everything else is left to the
 * executor, and so are all messages of the timer. So a listener that blocks delays the caller whose event it is told,
 * and no other one. Thread-safe.
 */
final class Outbox {

    private static final Faults FAULTS = new Faults("telling what has happened to a throttle");

    private record Message(Thread from, Runnable text) {}

    private final Executor executor;
    private final Queue<Message> messages = new ConcurrentLinkedQueue<>();
    /** Only the thread that has set it takes messages. */
    private final AtomicBoolean delivering = new AtomicBoolean();
    /** Tells asynchronous callers and other throttles. */
    private final Queue<Runnable> wakeUps = new ConcurrentLinkedQueue<>();

    Outbox(Executor executor) {
        this.executor = executor;
    }

    void post(Runnable message) {
        messages.add(new Message(Thread.currentThread(), message));
    }

    /**
     * Posts a message and delivers it as {@link #deliver} does. If no other message is there, it does not go through
     * the queue. Not under the engine's lock.
     */
    void tell(Runnable message) {
        if (!messages.isEmpty() || !delivering.compareAndSet(false, true)) {
            post(message);
        } else {
            try {
                if (messages.isEmpty()) {
                    run(message);
                } else {
                    post(message);
                }
            } finally {
                delivering.set(false);
            }
        }
        deliver();
    }

    /** An asynchronous caller is to be told what became of it, or another throttle that its turn has come. */
    void postWakeUp(Runnable wakeUp) {
        wakeUps.add(wakeUp);
    }

    /** Delivers on this thread what it has posted, if that is next, and leaves the rest to the executor. */
    void deliver() {
        if (!messages.isEmpty()) {
            Thread current = Thread.currentThread();
            if (isNextFrom(current)) {
                deliverWhile(() -> isNextFrom(current));
            }
        }
        deliverElsewhere();
    }

    /** Leaves all messages to the executor. */
    void deliverElsewhere() {
        if (!messages.isEmpty() && !delivering.get()) {
            execute(this::deliverAll);
        }
        for (Runnable wakeUp = wakeUps.poll(); wakeUp != null; wakeUp = wakeUps.poll()) {
            Trampoline.run(wakeUp);
        }
    }

    /** Runs a task on the executor, or on a thread of the library if that takes no more. */
    void execute(Runnable task) {
        try {
            executor.execute(task);
        } catch (RuntimeException refused) {
            CallbackPool.shared().execute(task);
        }
    }

    private boolean isNextFrom(Thread thread) {
        Message next = messages.peek();
        return next != null && next.from.equals(thread);
    }

    private void deliverAll() {
        boolean isMine = true;
        while (isMine && !messages.isEmpty()) {
            isMine = deliverWhile(() -> true);
        }
    }

    /** {@return false if another thread delivers, which sees to the rest} */
    private boolean deliverWhile(BooleanSupplier goesOn) {
        if (!delivering.compareAndSet(false, true)) {
            return false;
        }
        try {
            for (Message next = goesOn.getAsBoolean() ? messages.poll() : null;
                    next != null;
                    next = goesOn.getAsBoolean() ? messages.poll() : null) {
                run(next.text);
            }
        } finally {
            delivering.set(false);
        }
        return true;
    }

    private static void run(Runnable message) {
        try {
            message.run();
        } catch (Throwable e) {
            FAULTS.report(e);
        }
    }
}
