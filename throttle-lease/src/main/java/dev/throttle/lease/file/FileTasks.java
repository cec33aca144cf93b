package dev.throttle.lease.file;

import dev.throttle.internal.Faults;
import dev.throttle.internal.RoundTrip;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.file.StateFile.Content;
import dev.throttle.lease.fleet.FailureText;
import dev.throttle.lease.fleet.Step;
import dev.throttle.time.TimeSource;
import dev.throttle.time.TimeSource.ScheduledTask;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps of one process on one file. Those that wait are done together, under one lock, on the executor. If another
 * process has the lock, they are tried again a little later, and no thread waits for it. Thread-safe.
 */
final class FileTasks {

    private static final Logger LOG = LoggerFactory.getLogger(Fleet.class);
    private static final Faults FAULTS = new Faults("the file of a fleet");
    /** The most steps under one lock, so that it is held for a moment only. */
    private static final int AT_ONCE = 100;

    private static final long SHORTEST_PAUSE_NANOS = 100_000;
    private static final long LONGEST_PAUSE_NANOS = Duration.ofMillis(5).toNanos();
    /** Processes that have heard less read what is known instead. */
    private static final int MOST_NEWS = 64;

    /** A question about a limit names no more keys. */
    private static final int MOST_KEYS_OF_A_LIMIT = 5;
    /** A file that is deleted or replaced so many times in a row cannot be used. */
    private static final int TRIES = 3;
    /** After so many late answers in a row, or after an error, the file rests. */
    private static final int PATIENCE = 3;

    private static final long REST_NANOS = Duration.ofMillis(250).toNanos();

    private static final double NEWS_MILLIS = 60_000;
    private static final String NEWS = "news";

    private final FleetFolder folder;
    private final FolderClock clock;
    private final String name;
    private final TimeSource time;
    private final Executor executor;
    private final Consumer<String> hear;
    /** From asking for a thread until it runs. */
    private final RoundTrip late;

    private final Queue<Task> tasks = new ConcurrentLinkedQueue<>();
    /** Whether they are being done, or will be tried again. */
    private final AtomicBoolean isRunning = new AtomicBoolean();

    private volatile @Nullable StateFile file;
    private long pauseNanos = SHORTEST_PAUSE_NANOS;
    private volatile long heard = -1;
    private volatile boolean closed;
    private final AtomicInteger failures = new AtomicInteger();
    private volatile boolean warned;
    private volatile long restsUntil;
    private final AtomicBoolean isProbing = new AtomicBoolean();

    /** A step and who waits for its answer. */
    private static final class Task {

        final Step step;
        final String[] keys;
        final String[] args;
        final CompletableFuture<List<Object>> answer;

        Task(Step step, String[] keys, String[] args, CompletableFuture<List<Object>> answer) {
            this.step = step;
            this.keys = keys;
            this.args = args;
            this.answer = answer;
        }

        /** {@return whether its answer has come, or would come too late} */
        boolean isOver() {
            return answer.isDone();
        }
    }

    /**
     * The steps on a file.
     *
     * @param hear called with each message that a process published, this one included
     */
    FileTasks(
            FleetFolder folder,
            FolderClock clock,
            String name,
            TimeSource time,
            Executor executor,
            RoundTrip late,
            Consumer<String> hear) {
        this.folder = folder;
        this.clock = clock;
        this.name = name;
        this.time = time;
        this.executor = executor;
        this.late = late;
        this.hear = hear;
    }

    /** Does a step, and completes its answer; exceptionally if the file cannot be used. */
    void add(Step step, String[] keys, String[] args, CompletableFuture<List<Object>> answer) {
        tasks.add(new Task(step, keys, args, answer));
        start();
    }

    private void start() {
        if (isRunning.compareAndSet(false, true)) {
            try {
                long asked = time.nanoTime();
                executor.execute(() -> {
                    late.add(time.nanoTime() - asked);
                    run();
                });
            } catch (RuntimeException | Error e) {
                fail(e);
                if (closed) { // there is no thread any more
                    closeQuietly();
                }
                isRunning.set(false);
            }
        }
    }

    private void fail(Throwable failure) {
        for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
            task.answer.completeExceptionally(failure);
        }
    }

    private void run() {
        boolean isFree = true;
        try {
            isFree = doSome();
        } catch (IOException e) {
            fail(e);
        } catch (RuntimeException | Error e) {
            FAULTS.report(e);
            fail(e);
        }
        tasks.removeIf(Task::isOver);
        long pause = isFree ? SHORTEST_PAUSE_NANOS : pauseNanos;
        pauseNanos = isFree ? SHORTEST_PAUSE_NANOS : Math.min(2 * pause, LONGEST_PAUSE_NANOS);
        isRunning.set(false);
        if (tasks.isEmpty() && !(closed && file != null)) {
            return;
        }
        if (isFree) {
            start();
        } else {
            time.schedule(pause + ThreadLocalRandom.current().nextLong(pause), this::start);
        }
    }

    /** Does what waits, on this thread, unless another one does; {@return whether all is done} */
    boolean runNow() {
        if (isRunning.compareAndSet(false, true)) {
            run();
        }
        return tasks.isEmpty() && !isRunning.get();
    }

    /** {@return whether there was nothing to do or the lock was free} */
    private boolean doSome() throws IOException {
        if (closed) {
            closeFile();
            fail(new IOException("closed"));
            return true;
        }
        if (tasks.isEmpty()) {
            return true;
        }
        StateFile held = hold();
        if (held == null) {
            return false;
        }
        List<Runnable> answers = new ArrayList<>();
        try {
            doSome(held, answers);
        } finally {
            held.release();
        }
        answers.forEach(Runnable::run); // without the lock
        return true;
    }

    String name() {
        return name;
    }

    private Path path() {
        return folder.path().resolve(name);
    }

    /** {@return the file, if its lock is free} */
    private @Nullable StateFile hold() throws IOException {
        for (int i = 0; i < TRIES; i++) {
            StateFile held = holdPresent();
            if (held != null || file != null) {
                return held;
            }
        }
        throw new IOException(path() + " is replaced again and again");
    }

    /** {@return the file with its lock; null if the lock is taken, or if it was deleted or replaced} */
    private @Nullable StateFile holdPresent() throws IOException {
        StateFile current = file;
        if (current == null) {
            current = StateFiles.open(folder, name);
            file = current;
        }
        if (!current.hold()) {
            return null;
        }
        boolean isThere = false;
        try {
            isThere = current.isThere();
        } finally {
            if (!isThere) {
                current.release();
                closeFile();
            }
        }
        return isThere ? current : null;
    }

    private void closeQuietly() {
        try {
            closeFile();
        } catch (IOException e) {
            LOG.debug("{} could not be closed", path(), e);
        }
    }

    private void closeFile() throws IOException {
        StateFile last = file;
        file = null;
        if (last != null) {
            StateFiles.close(folder, name, last);
        }
    }

    private void doSome(StateFile held, List<Runnable> answers) throws IOException {
        Content content = held.load();
        Mark mark = clock.now(content.mark);
        content.data.setTime(mark.store());
        List<Task> done = new ArrayList<>();
        try {
            for (Task task = tasks.poll(); task != null; task = done.size() < AT_ONCE ? tasks.poll() : null) {
                if (!task.isOver()) {
                    done.add(task);
                    answers.add(answerOf(task, content.data));
                }
            }
            List<String> news = news(content);
            held.save(content, mark);
            if (content.isDamaged) {
                LOG.warn("{} is damaged, and what it kept last is lost", path());
            }
            answers.add(() -> news.forEach(hear));
        } catch (IOException | RuntimeException | Error e) {
            answers.clear();
            done.forEach(task -> task.answer.completeExceptionally(e));
            throw e;
        }
    }

    /** Does a step. If what is kept makes no sense to it, that is lost, and the next step begins anew. */
    private static Runnable answerOf(Task task, StoreData data) {
        try {
            List<Object> answer = Steps.run(data, task.step, task.keys, task.args);
            return () -> task.answer.complete(answer);
        } catch (RuntimeException e) {
            FAULTS.report(e);
            if (task.keys.length <= MOST_KEYS_OF_A_LIMIT) { // and not all that the processes know
                for (String key : task.keys) {
                    data.remove(key);
                }
            }
            return () -> task.answer.completeExceptionally(e);
        }
    }

    /** Keeps what was published now; {@return what this process has not heard} */
    private List<String> news(Content content) {
        List<String> published = content.data.takePublished();
        List<String> kept = content.data.list(NEWS);
        long before = content.news;
        content.news += published.size();
        kept.addAll(published);
        kept.subList(0, Math.max(0, kept.size() - MOST_NEWS)).clear();
        if (!published.isEmpty()) {
            content.data.endIn(NEWS, NEWS_MILLIS);
        }
        long since = heard < 0 || heard > before ? before : heard;
        heard = content.news;
        int unheard = (int) Math.min(kept.size(), content.news - since);
        return List.copyOf(kept.subList(kept.size() - unheard, kept.size()));
    }

    /** Looks without the lock whether something was published; {@return whether there is news} */
    boolean hasNews() {
        StateFile current = file;
        try {
            return current != null && tasks.isEmpty() && !isRunning.get() && current.news() > heard;
        } catch (IOException e) {
            return false; // it may be closing; a step will tell
        }
    }

    /**
     * {@return whether it has failed and not answered since} If so, a step in the background tries it again each time
     * that it has rested.
     */
    boolean isAway(long now) {
        if (warned && restsUntil - now <= 0 && isProbing.compareAndSet(false, true)) {
            CompletableFuture<List<Object>> probe = new CompletableFuture<>();
            ScheduledTask end = time.schedule(REST_NANOS, () -> probe.cancel(false)); // or it would try without end
            CompletableFuture<List<Object>> unused = probe.whenComplete((value, failure) -> {
                end.cancel();
                restsUntil = time.nanoTime() + REST_NANOS;
                isProbing.set(false);
                if (failure == null) {
                    answered();
                }
            });
            add(Step.LEAVE, new String[0], new String[] {""}, probe);
        }
        return warned;
    }

    /** Notes that an answer came in time. */
    void answered() {
        failures.set(0);
        if (warned) {
            warned = false;
            LOG.info("{} can be used again", path());
        }
    }

    /** Notes that an answer did not come. */
    void failed(Throwable failure, long now) {
        if (failures.incrementAndGet() < PATIENCE && failure instanceof TimeoutException) {
            return;
        }
        restsUntil = now + REST_NANOS;
        if (!warned && !closed) {
            warned = true;
            LOG.warn(
                    "{} cannot be used ({}); until it can, this process keeps its limits by its own share",
                    path(),
                    FailureText.of(failure));
        }
    }

    void close() {
        closed = true;
        start();
    }
}
