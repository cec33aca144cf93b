package dev.throttle.redis;

import dev.throttle.internal.Causes;
import dev.throttle.internal.RoundTrip;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.fleet.FailureText;
import dev.throttle.lease.fleet.FleetStore;
import dev.throttle.lease.fleet.Step;
import dev.throttle.lease.fleet.StoreAwayException;
import dev.throttle.lease.fleet.StoreWatch;
import dev.throttle.time.TimeSource;
import dev.throttle.time.TimeSource.ScheduledTask;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisReadOnlyException;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs scripts in Redis, and knows whether it answers. Thread-safe. */
final class RedisStore implements FleetStore {

    private static final Logger LOG = LoggerFactory.getLogger(Fleet.class);
    private static final long RETRY_NANOS = Duration.ofMillis(500).toNanos();
    /**
     * A late answer is still of use until then, and it tells that the store is there: on a connection that is open
     * answers are never lost.
     */
    static final Duration LATE = Duration.ofMillis(500);
    /** A connection that is open and does not answer for this time is made anew. */
    private static final long MUTE_NANOS = Duration.ofSeconds(1).toNanos();

    /** The most different refusals that are logged. */
    private static final int MOST_REFUSALS = 20;

    /** How Redis says so, to a command and within a script. */
    private static final Pattern FORBIDDEN =
            Pattern.compile("NOPERM|user executing the script can't|ACL failure in script");

    private static final Duration KEEPS = Duration.ofMinutes(1);
    private static final Duration KEEPS_PACE = Duration.ofSeconds(30);

    private final String name;
    private final Connector connector;
    private final Duration timeout;
    private final TimeSource time;
    private final Executor executor;
    private final FleetStore.Listener listener;
    private final StoreWatch watch;
    private final AtomicBoolean connecting = new AtomicBoolean();
    private final EvictionCheck eviction;
    private final RoundTrip roundTrip = new RoundTrip();
    private volatile @Nullable Connection connection;
    /** When the connection was made, or of use last. */
    private volatile long openedAt;

    /** The refusals that were logged. */
    private final Set<String> refused = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    RedisStore(
            String name,
            Connector connector,
            Duration timeout,
            TimeSource time,
            Executor executor,
            FleetStore.Listener listener) {
        this.name = name;
        this.connector = connector;
        this.timeout = timeout;
        this.time = time;
        this.executor = executor;
        this.listener = listener;
        this.watch = new StoreWatch(name, "Redis", "restarted, flushed or evicts keys", time);
        this.eviction = new EvictionCheck(name);
    }

    @Override
    public void connect() {
        connecting.set(true);
        try {
            executor.execute(this::connectNow);
        } catch (RuntimeException | Error e) {
            retryAfter(e);
        }
    }

    private void connectNow() {
        try {
            Connection made = connector.connect().get();
            Connection before = connection;
            connection = made;
            openedAt = time.nanoTime();
            connecting.set(false);
            if (before != null) {
                before.close();
            }
            if (closed) {
                made.close();
            } else {
                CompletionStage<Void> unused = made.listen(listener.channel(), listener::heard)
                        .whenComplete((done, failure) -> noteIfForbidden(failure));
                checkEviction();
                listener.connected();
            }
        } catch (RuntimeException | Error e) {
            retryAfter(e);
        }
    }

    private void retryAfter(Throwable failure) {
        watch.isAway(failure);
        if (closed) {
            connecting.set(false);
        } else {
            time.schedule(RETRY_NANOS, this::connect);
        }
    }

    /** Looks whether Redis may evict keys: after each connect, and now and then. */
    private void checkEviction() {
        Connection current = connection;
        if (current != null) {
            eviction.check(current);
        }
    }

    /** The same if it was not looked at for a minute. */
    @Override
    public void look() {
        eviction.checkSometimes(connection, time.nanoTime());
    }

    @Override
    public long slowNanos() {
        return roundTrip.slowNanos();
    }

    /** {@return after which time an answer is late} On a long way all would be late by a fixed time. */
    private long patienceNanos() {
        return Math.max(timeout.toNanos(), Math.min(2 * roundTrip.slowNanos(), LATE.toNanos()));
    }

    @Override
    public StoreWatch watch() {
        return watch;
    }

    @Override
    public Duration keeps() {
        return KEEPS;
    }

    @Override
    public Duration keepsPace() {
        return KEEPS_PACE;
    }

    @Override
    public CompletableFuture<List<Object>> probe(Step step, String[] keys, String... args) {
        return probe(script(step), keys, args);
    }

    /** {@return the script that does a step} */
    static Script script(Step step) {
        return switch (step) {
            case TAKE_FROM_BUCKET -> BucketScripts.TAKE;
            case GIVE_TO_BUCKET -> BucketScripts.GIVE;
            case TAKE_FROM_WINDOW -> WindowScripts.TAKE;
            case GIVE_TO_WINDOW -> WindowScripts.GIVE;
            case LEARN -> MemoryScripts.LEARN;
            case READ -> MemoryScripts.READ;
            case LEAVE -> MemoryScripts.LEAVE;
            case RECALL -> MemoryScripts.RECALL;
        };
    }

    /** {@return the result of a script, which is sent even if Redis seems to be away} */
    CompletableFuture<List<Object>> probe(Script script, String[] keys, String... args) {
        Connection current = connection;
        if (current == null || closed || !current.isOpen()) {
            StoreAwayException away = new StoreAwayException(name);
            if (current != null) { // otherwise there was none yet, and connecting reports that
                watch.isAway(away);
            }
            return CompletableFuture.failedFuture(away);
        }
        CompletableFuture<List<Object>> answer = new CompletableFuture<>();
        long askedAt = time.nanoTime();
        long patience = patienceNanos();
        AtomicBoolean isLate = new AtomicBoolean();
        send(current, script, keys, args, false, answer);
        ScheduledTask late = time.schedule(patience, () -> {
            if (!answer.isDone()) {
                isLate.set(true);
                note(new TimeoutException("no answer within " + patience / 1_000_000 + " ms"));
            }
        });
        ScheduledTask end = time.schedule(
                Math.max(patience, LATE.toNanos()),
                () -> answer.completeExceptionally(new TimeoutException("no answer")));
        return answer.whenComplete((value, failure) -> {
            late.cancel();
            end.cancel();
            if (failure == null) {
                roundTrip.add(time.nanoTime() - askedAt);
            }
            if (failure == null || !isLate.get() || !isTimeout(Causes.unwrap(failure))) {
                note(failure);
            }
        });
    }

    private void send(
            Connection current,
            Script script,
            String[] keys,
            String[] args,
            boolean isUnknown,
            CompletableFuture<List<Object>> answer) {
        try {
            (isUnknown
                            ? current.commands().<List<Object>>eval(script.text(), ScriptOutputType.MULTI, keys, args)
                            : current.commands()
                                    .<List<Object>>evalsha(script.digest(), ScriptOutputType.MULTI, keys, args))
                    .whenComplete((value, failure) -> {
                        if (failure == null) {
                            answer.complete(value);
                        } else if (!isUnknown && Causes.unwrap(failure) instanceof RedisNoScriptException) {
                            send(current, script, keys, args, true, answer);
                        } else {
                            answer.completeExceptionally(Causes.unwrap(failure));
                        }
                    });
        } catch (RuntimeException e) { // such as by a connection that was closed meanwhile
            answer.completeExceptionally(e);
        }
    }

    /** {@return whether a failure is a time-out, of Lettuce or of this class} */
    private static boolean isTimeout(Throwable failure) {
        return failure instanceof TimeoutException || failure instanceof RedisCommandTimeoutException;
    }

    /** {@return whether the user lacks a right, so that trying again does not help} */
    private static boolean isForbidden(Throwable failure) {
        return failure instanceof RedisCommandExecutionException
                && FORBIDDEN.matcher(String.valueOf(failure.getMessage())).find();
    }

    /** Logs each missing right once; {@return whether the failure is about a missing right} */
    boolean noteIfForbidden(@Nullable Throwable failure) {
        if (failure == null || !isForbidden(Causes.unwrap(failure))) {
            return false;
        }
        String text = FailureText.of(failure);
        if (refused.size() < MOST_REFUSALS && refused.add(text)) {
            LOG.warn("fleet {}: Redis refuses a command ({}); what needs it does not work", name, text);
        }
        return true;
    }

    private void note(@Nullable Throwable failure) {
        boolean isForbidden = noteIfForbidden(failure);
        if (failure == null || isForbidden) { // whatever it said, it is there
            openedAt = time.nanoTime(); // it is of use
            watch.answered();
        } else {
            Connection current = connection;
            boolean isOpen = current != null && current.isOpen();
            int inARow = watch.failed();
            if (!isOpen || inARow >= StoreWatch.PATIENCE || !isTimeout(Causes.unwrap(failure))) {
                watch.isAway(failure);
            }
            if (isOpen) {
                renewIfUseless(Causes.unwrap(failure));
            }
        }
    }

    /**
     * Makes another connection if this one is open but of no use: the server stands still, or is no master any more,
     * and what connects may know of another. The old one is kept until then.
     */
    private void renewIfUseless(Throwable failure) {
        boolean isNoMaster = failure instanceof RedisReadOnlyException;
        boolean isMute = watch.failures() >= StoreWatch.PATIENCE && time.nanoTime() - openedAt > MUTE_NANOS;
        if ((isNoMaster || isMute) && !closed && connecting.compareAndSet(false, true)) {
            connect();
        }
    }

    @Override
    public void closeSoon() {
        try {
            executor.execute(this::close);
        } catch (RuntimeException | Error e) {
            close(); // on this thread, which it does not block
        }
    }

    void close() {
        closed = true;
        watch.close();
        Connection current = connection;
        if (current != null) {
            current.close();
        }
        connector.shutdown().run();
    }
}
