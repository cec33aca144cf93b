package dev.throttle.redis;

import dev.throttle.internal.Causes;
import dev.throttle.internal.RoundTrip;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs scripts, and knows whether Redis answers. While it does not, every script fails at once, except for a probe now
 * and then, so that no caller waits. Thread-safe.
 */
final class RedisStore {

    private static final Logger LOG = LoggerFactory.getLogger(Fleet.class);
    private static final long RETRY_NANOS = Duration.ofMillis(500).toNanos();
    /** One answer may be late; after so many in a row the store counts as away. */
    private static final int PATIENCE = 3;
    /**
     * A late answer is still of use until then, and it tells that the store is there: on a connection that is open
     * answers are never lost.
     */
    static final Duration LATE = Duration.ofMillis(500);
    /** A connection that is open and does not answer for this time is made anew. */
    private static final long MUTE_NANOS = Duration.ofSeconds(1).toNanos();

    private static final long LOSS_LOG_NANOS = Duration.ofMinutes(1).toNanos();
    /** The most different refusals that are logged. */
    private static final int MOST_REFUSALS = 20;

    /** How Redis says so, to a command and within a script. */
    private static final Pattern FORBIDDEN =
            Pattern.compile("NOPERM|user executing the script can't|ACL failure in script");

    private final String name;
    private final Connector connector;
    private final Duration timeout;
    private final TimeSource time;
    private final Executor executor;
    private final Consumer<Connection> onConnected;
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicBoolean connecting = new AtomicBoolean();
    private final EvictionCheck eviction;
    private final AtomicLong losses = new AtomicLong();
    private volatile long lossLoggedAt;
    private final RoundTrip roundTrip = new RoundTrip();
    private volatile @Nullable Connection connection;
    /** When the connection was made, or of use last. */
    private volatile long openedAt;

    private volatile boolean up;
    private volatile boolean warned;
    /** The refusals that were logged. */
    private final Set<String> refused = ConcurrentHashMap.newKeySet();

    private volatile boolean leaving;
    private volatile boolean closed;

    RedisStore(
            String name,
            Connector connector,
            Duration timeout,
            TimeSource time,
            Executor executor,
            Consumer<Connection> onConnected) {
        this.name = name;
        this.connector = connector;
        this.timeout = timeout;
        this.time = time;
        this.executor = executor;
        this.onConnected = onConnected;
        this.eviction = new EvictionCheck(name);
    }

    /** Connects, now or as soon as it can. */
    void connect() {
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
                onConnected.accept(made);
            }
        } catch (RuntimeException | Error e) {
            retryAfter(e);
        }
    }

    private void retryAfter(Throwable failure) {
        isAway(failure);
        if (closed) {
            connecting.set(false);
        } else {
            time.schedule(RETRY_NANOS, this::connect);
        }
    }

    /** Looks whether Redis may evict keys: after each connect, and now and then. */
    void checkEviction() {
        Connection current = connection;
        if (current != null) {
            eviction.check(current);
        }
    }

    /** The same if it was not looked at for a minute. */
    void checkEvictionSometimes() {
        eviction.checkSometimes(connection, time.nanoTime());
    }

    /** {@return the time that few answers exceed, in nanoseconds; 0 if there was none yet} */
    long slowNanos() {
        return roundTrip.slowNanos();
    }

    /** {@return after which time an answer is late} On a long way all would be late by a fixed time. */
    private long patienceNanos() {
        return Math.max(timeout.toNanos(), Math.min(2 * roundTrip.slowNanos(), LATE.toNanos()));
    }

    /** {@return whether Redis answered lately} */
    boolean isUp() {
        return up;
    }

    /** {@return the result of a script; it fails at once while the store is away} */
    CompletableFuture<List<Object>> run(Script script, String[] keys, String... args) {
        return up ? probe(script, keys, args) : CompletableFuture.failedFuture(new StoreAwayException(name));
    }

    /** Runs a script and ignores its answer. */
    void send(Script script, String[] keys, String... args) {
        CompletableFuture<List<Object>> unused = run(script, keys, args);
    }

    /** {@return the result of a script, which is sent even if the store seems to be away} */
    CompletableFuture<List<Object>> probe(Script script, String[] keys, String... args) {
        Connection current = connection;
        if (current == null || closed || !current.isOpen()) {
            StoreAwayException away = new StoreAwayException(name);
            if (current != null) { // otherwise there was none yet, and connecting reports that
                isAway(away);
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

    /** Notes that the state of a limit was gone and had to be restored. */
    void lost(String limit) {
        long before = losses.getAndIncrement();
        long now = time.nanoTime();
        if (before == 0 || now - lossLoggedAt > LOSS_LOG_NANOS) {
            lossLoggedAt = now;
            LOG.warn(
                    "fleet {}: Redis has lost the state of the limit {}: it was restarted, flushed or evicts keys."
                            + " The processes restored it from what they know, as if all were used ({} losses so far)",
                    name,
                    limit,
                    before + 1);
        }
    }

    /** {@return how often the state of a limit was gone} */
    long losses() {
        return losses.get();
    }

    private void note(@Nullable Throwable failure) {
        boolean isForbidden = noteIfForbidden(failure);
        if (failure == null || isForbidden) { // whatever it said, it is there
            failures.set(0);
            openedAt = time.nanoTime(); // it is of use
            up = true;
            if (warned) {
                warned = false;
                LOG.info("fleet {}: Redis is available again", name);
            }
        } else {
            Connection current = connection;
            boolean isOpen = current != null && current.isOpen();
            int inARow = failures.incrementAndGet();
            if (!isOpen || inARow >= PATIENCE || !isTimeout(Causes.unwrap(failure))) {
                isAway(failure);
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
        boolean isMute = failures.get() >= PATIENCE && time.nanoTime() - openedAt > MUTE_NANOS;
        if ((isNoMaster || isMute) && !closed && connecting.compareAndSet(false, true)) {
            connect();
        }
    }

    private void isAway(Throwable failure) {
        up = false;
        if (!warned && !leaving) {
            warned = true;
            LOG.warn(
                    "fleet {}: Redis is unavailable ({}); until it is back, this process relies on what it knows itself",
                    name,
                    FailureText.of(failure));
        }
    }

    /** Ignores failures from now on, because the fleet is about to close. */
    void leave() {
        leaving = true;
    }

    void closeSoon() {
        try {
            executor.execute(this::close);
        } catch (RuntimeException | Error e) {
            close(); // on this thread, which it does not block
        }
    }

    void close() {
        leaving = true;
        closed = true;
        up = false;
        Connection current = connection;
        if (current != null) {
            current.close();
        }
        connector.shutdown().run();
    }
}
