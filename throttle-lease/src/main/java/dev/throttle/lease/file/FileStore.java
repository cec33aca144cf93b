package dev.throttle.lease.file;

import dev.throttle.internal.RoundTrip;
import dev.throttle.lease.fleet.FleetStore;
import dev.throttle.lease.fleet.Step;
import dev.throttle.lease.fleet.StoreAwayException;
import dev.throttle.lease.fleet.StoreWatch;
import dev.throttle.time.TimeSource;
import dev.throttle.time.TimeSource.ScheduledTask;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what the processes of one machine share in the files of a folder: one file of what was learned, and sixteen of
 * limits, each with the limits of some keys. Thread-safe.
 */
public final class FileStore implements FleetStore {

    private static final int LIMIT_FILES = 16;
    /** Changes with the form of the files. */
    private static final String SUFFIX = ".v1";

    private static final Duration KEEPS = Duration.ofHours(1);
    /** An answer that takes longer is of no use. A process that was stopped may have the lock. */
    private static final long LATE_NANOS = Duration.ofMillis(500).toNanos();
    /** The end waits this long for what is not written yet. */
    private static final int TRIES_AT_END = 50;

    private static final long PAUSE_AT_END_NANOS = Duration.ofMillis(2).toNanos();

    private final FleetFolder folder;
    private final FolderClock clock;
    private final TimeSource time;
    private final Executor executor;
    private final Listener listener;
    private final StoreWatch watch;
    private final RoundTrip roundTrip = new RoundTrip();
    private final RoundTrip late = new RoundTrip();
    private final FileTasks memory;
    private final List<FileTasks> limits;
    private volatile boolean closed;

    /**
     * A store in a folder, which is made if there is none.
     *
     * @param fleet the name of the fleet
     * @param parent the folder in which fleets have their folders
     */
    public FileStore(String fleet, Path parent, TimeSource time, Executor executor, Listener listener) {
        this(fleet, parent, time, executor, listener, UnaryOperator.identity());
    }

    FileStore(
            String fleet,
            Path parent,
            TimeSource time,
            Executor executor,
            Listener listener,
            UnaryOperator<Disk> disks) {
        this.folder = new FleetFolder(parent, fleet, disks);
        this.clock = new FolderClock(time);
        this.time = time;
        this.executor = executor;
        this.listener = listener;
        this.watch = new StoreWatch(fleet, "the folder " + folder.path(), "deleted or damaged", time);
        this.memory = tasks("memory");
        this.limits = IntStream.range(0, LIMIT_FILES)
                .mapToObj(i -> tasks("limits-" + i))
                .toList();
    }

    private FileTasks tasks(String name) {
        return new FileTasks(
                folder, clock, name + SUFFIX, time, executor, late, text -> listener.heard(listener.channel(), text));
    }

    /**
     * {@return the folder in which the fleets of this user have theirs} It is the one that the system or
     * {@code XDG_STATE_HOME} has for such data.
     */
    public static Path parentOfUser() {
        return FleetFolder.ofUser(System::getenv, System.getProperty("user.home"), System.getProperty("os.name"));
    }

    /**
     * Makes the folder, or checks the one that is there. {@return why it is refused, if it is} What may change, such as
     * a full disk, is no reason to refuse it.
     */
    public Optional<String> refusal() {
        try {
            folder.prepare();
            folder.check(memory.name());
            for (FileTasks each : limits) {
                folder.check(each.name());
            }
        } catch (RefusedException e) {
            return Optional.ofNullable(e.getMessage());
        } catch (IOException e) {
            watch.isAway(e);
        }
        return Optional.empty();
    }

    @Override
    public void connect() {
        try {
            executor.execute(listener::connected);
        } catch (RuntimeException | Error e) {
            watch.isAway(e);
        }
    }

    @Override
    public StoreWatch watch() {
        return watch;
    }

    @Override
    public long slowNanos() {
        return roundTrip.slowNanos();
    }

    /** A file answers at once, even on a machine that is so busy that callers wake up too late for their permits. */
    @Override
    public long lateNanos() {
        return late.slowNanos();
    }

    @Override
    public Duration keeps() {
        return KEEPS;
    }

    @Override
    public Duration keepsPace() {
        return KEEPS;
    }

    private FileTasks tasks(Step step, String[] keys) {
        return switch (step) {
            case LEARN, READ, LEAVE, RECALL -> memory;
            default -> {
                String id = keys[0].substring(keys[0].lastIndexOf(':') + 1);
                yield limits.get(Math.floorMod(id.hashCode(), LIMIT_FILES));
            }
        };
    }

    @Override
    public CompletableFuture<List<Object>> probe(Step step, String[] keys, String... args) {
        if (closed) {
            return CompletableFuture.failedFuture(new StoreAwayException(watch.fleet()));
        }
        FileTasks tasks = tasks(step, keys);
        long askedAt = time.nanoTime();
        if (tasks.isAway(askedAt)) {
            return CompletableFuture.failedFuture(new StoreAwayException(watch.fleet()));
        }
        CompletableFuture<List<Object>> answer = new CompletableFuture<>();
        ScheduledTask late = time.schedule(
                LATE_NANOS,
                () -> answer.completeExceptionally(new TimeoutException("another process does not free its lock")));
        CompletableFuture<List<Object>> noted = answer.whenComplete((value, failure) -> {
            late.cancel();
            note(failure, tasks, askedAt);
        });
        tasks.add(step, keys, args, answer);
        if (tasks != memory && memory.hasNews()) {
            memory.add(Step.LEAVE, new String[0], new String[] {""}, new CompletableFuture<>()); // only to hear them
        }
        return noted;
    }

    /** One file of limits that cannot be used is no reason to do without the others. */
    private void note(@Nullable Throwable failure, FileTasks tasks, long askedAt) {
        boolean isFault = failure != null && !(failure instanceof IOException || failure instanceof TimeoutException);
        if (failure == null || isFault) {
            roundTrip.add(time.nanoTime() - askedAt);
        }
        if (closed || isFault) {
            return;
        }
        if (tasks != memory) {
            if (failure == null) {
                tasks.answered();
            } else {
                tasks.failed(failure, time.nanoTime());
            }
        } else if (failure == null) {
            watch.answered();
        } else if (watch.failed() >= StoreWatch.PATIENCE || !(failure instanceof TimeoutException)) {
            watch.isAway(failure);
        }
    }

    @Override
    public void look() {}

    @Override
    public void settle(BooleanSupplier isAsked) {
        for (int i = 0; i < TRIES_AT_END; i++) {
            boolean isDone = isAsked.getAsBoolean();
            isDone &= memory.runNow();
            for (FileTasks each : limits) {
                isDone &= each.runNow();
            }
            if (isDone) {
                return;
            }
            LockSupport.parkNanos(PAUSE_AT_END_NANOS);
        }
    }

    @Override
    public void closeSoon() {
        closed = true;
        watch.close();
        memory.close();
        limits.forEach(FileTasks::close);
    }

    @Override
    public String toString() {
        return "FileStore[" + folder.path() + (watch.isUp() ? "" : ", away") + "]";
    }
}
