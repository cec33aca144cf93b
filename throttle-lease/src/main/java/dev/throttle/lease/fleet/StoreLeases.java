package dev.throttle.lease.fleet;

import dev.throttle.internal.Nanos;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.Lease;
import dev.throttle.lease.LeaseSource;
import dev.throttle.lease.fleet.Untold.Telling;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Leases of a limit that the store of a fleet keeps. Its answers are checked, and cut to possible values. */
public final class StoreLeases implements LeaseSource {

    private static final Logger LOG = LoggerFactory.getLogger(Fleet.class);
    private static final Duration VALID = Duration.ofMillis(200);
    /** From this interval on, a bucket of one token keeps it exactly. */
    private static final Duration SLOW = Duration.ofMillis(250);
    /**
     * Its permits are good for this part of the interval, and as much further apart, so that a late one comes not too
     * near. A thread may wake that much late.
     */
    private static final double LATENESS = 0.02;
    /**
     * Where threads run late, permits are good for some times as long, but not for longer than such a part of the
     * interval.
     */
    private static final double LATE_THREADS = 3;

    private static final double MOST_LATENESS = 0.4;

    /** For so long a process remembers that others shared the limit. */
    private static final long FORGOTTEN_NANOS = Duration.ofSeconds(10).toNanos();

    private static final Duration TURN = Duration.ofMillis(100);
    private static final Duration AHEAD = Duration.ofSeconds(30);
    private static final int FIELDS = 8;
    /** What was spent within such a part of a window need not be told apart. */
    private static final int PARTS = 50;

    private static final int MOST_KEYS = 20_000;
    /** The most idle keys that are reported at once. */
    private static final int TOLD_AT_ONCE = 100;
    /** For how long the shares of processes count that are not back; see the scripts. */
    private static final double OTHERS_MICROS = 2e6;

    /**
     * What a bucket tells to be told again; of it, the last is kept to give permits back. A window tells the time under
     * which it counts the permits.
     */
    private static final Pattern STATE = Pattern.compile("[\\d.]{1,25}(?:\\|[\\d.]{1,25}\\|([\\d.]{1,25}))?");

    /** The stores take what is due later than this after the longest promise for a clock that was put back. */
    private static final double MOST_LATER_MICROS = 1e6;

    private static final long MOST_MICROS = Duration.ofHours(1).toNanos() / 1000;

    private final FleetStore store;
    private final FleetKeys keys;
    private final StoreClock clock;
    private final TimeSource time;
    private final String client;
    private final String scope;
    private final boolean isWindow;
    private final long limit;
    private final double intervalMicros;
    /** How long a permit is good if the store is near, and how much further apart permits are because of that. */
    private final double slackMicros;

    private final double toleranceMicros;
    private final long windowMicros;
    private final Map<String, Seen> seen = LatestUsed.map(MOST_KEYS);
    private final Untold untold;
    private final AtomicBoolean isToldFar = new AtomicBoolean();

    /**
     * What the store told last: it tells the store should it have lost it.
     *
     * @param told when, by the clock of the store
     * @param at when, by the clock of the process
     * @param sharers the most that shared the limit lately: if the store loses their count, it says less
     * @param sharersAt when there were so many
     */
    private record Seen(String state, long told, long at, int sharers, long sharersAt) {

        static Seen of(String state, long told, long at, int sharers, @Nullable Seen before) {
            if (before != null && before.sharers > sharers && at - before.sharersAt < FORGOTTEN_NANOS) {
                return new Seen(state, told, at, before.sharers, before.sharersAt);
            }
            return new Seen(state, told, at, sharers, at);
        }
    }

    /** A window if {@code burst} is 0. */
    public StoreLeases(
            FleetStore store,
            FleetKeys keys,
            StoreClock clock,
            TimeSource time,
            String client,
            String scope,
            long permits,
            Duration period,
            long burst) {
        this.store = store;
        this.keys = keys;
        this.clock = clock;
        this.time = time;
        this.client = client;
        this.scope = scope;
        this.isWindow = burst == 0;
        this.limit = permits;
        this.windowMicros = Math.max(1, Nanos.of(period) / 1000);
        double interval = Nanos.of(period) / 1e3 / permits;
        double valid = VALID.toNanos() / 1e3;
        boolean isSingle = burst == 1 && interval >= SLOW.toNanos() / 1e3;
        if (isWindow) {
            this.slackMicros = Math.min(valid, Math.max(2000, windowMicros / 50.0));
        } else {
            this.slackMicros = isSingle ? Math.min(valid, LATENESS * interval) : valid;
        }
        this.intervalMicros = isSingle ? interval + slackMicros : interval;
        this.toleranceMicros = Math.max(0, (burst - 1) * intervalMicros - slackMicros);
        // Afterwards it has left the window, or the bucket has filled again.
        double counts = isWindow ? windowMicros + slackMicros : toleranceMicros + slackMicros + intervalMicros;
        long countsNanos = (long) Math.min(1e17, 1000 * Math.max(counts, OTHERS_MICROS));
        long near = (isWindow ? windowMicros * 1000 : countsNanos) / PARTS; // so few parts tell of all that counts
        this.untold = new Untold(MOST_KEYS, near, countsNanos);
    }

    @Override
    public CompletionStage<Lease> lease(String key, long least, long wanted) {
        String id = keys.id(scope, key);
        long now = time.nanoTime();
        List<Telling> told = untold.take(id, now);
        int last = told.size() - 1; // goes with the question
        tell(id, told.subList(0, Math.max(0, last)), now);
        return ask(id, last < 0 ? null : told.get(last), least, wanted, now);
    }

    private void tell(String id, List<Telling> told, long now) {
        for (Telling telling : told) {
            CompletionStage<Lease> unused = ask(id, telling, 0, 0, now);
        }
    }

    private CompletionStage<Lease> ask(String id, @Nullable Telling telling, long least, long wanted, long now) {
        OwnSpending own = telling == null ? null : telling.spending();
        Seen before = seen.get(id);
        double valid = validMicros(now);
        String[] common = {
            client,
            micros(intervalMicros),
            micros(valid),
            micros(Math.max(TURN.toNanos(), 2 * store.slowNanos()) / 1e3),
            String.valueOf(least),
            String.valueOf(wanted),
            String.valueOf(lifetimeMillis()),
            own == null ? "0" : String.valueOf(own.permits()),
            own == null ? "0" : String.valueOf(own.sharers()),
            telling == null ? "" : telling.name(),
            before == null ? "0" : String.valueOf(before.told + (now - before.at) / 1000)
        };
        CompletionStage<List<Object>> answer;
        if (isWindow) {
            boolean isKnown = before != null && now - before.at < windowMicros * 1000;
            answer = store.run(
                    Step.TAKE_FROM_WINDOW,
                    new String[] {keys.of("w", id), keys.of("s", id), keys.of("o", id), keys.of("t", id)},
                    and(
                            common,
                            String.valueOf(limit),
                            String.valueOf(windowMicros),
                            isKnown ? "1" : "0",
                            ahead(),
                            own == null ? "" : own.ages(now),
                            micros(slackMicros),
                            micros(laterMicros(valid))));
        } else {
            answer = store.run(
                    Step.TAKE_FROM_BUCKET,
                    new String[] {
                        keys.of("b", id), keys.of("s", id), keys.of("o", id), keys.of("t", id), keys.of("r", id)
                    },
                    and(
                            common,
                            micros(toleranceMicros),
                            before == null ? "0" : before.state,
                            ahead(),
                            before == null ? "0" : String.valueOf(before.told),
                            before == null ? "0" : String.valueOf(before.sharers)));
        }
        return answer.whenComplete((fields, failure) -> {
                    if (failure != null && telling != null) {
                        untold.failed(id, telling, !(failure instanceof StoreAwayException));
                    }
                })
                .thenApply(fields -> read(id, fields, now));
    }

    @Override
    public void spent(String key, long permits, int sharers) {
        untold.keep(keys.id(scope, key), OwnSpending.of(permits, sharers, time.nanoTime()));
    }

    /** Reports to the store what was spent of own shares, for keys without a pending question. It takes no permits. */
    public void tellSpent() {
        long now = time.nanoTime();
        int told = 0;
        for (String id : untold.ids()) {
            if (told == TOLD_AT_ONCE) {
                return; // the others soon
            }
            List<Telling> all = untold.take(id, now);
            tell(id, all, now);
            told += all.isEmpty() ? 0 : 1;
        }
    }

    /**
     * {@return for how long permits are to be good} The process does not know to the microsecond when the store gave
     * them, and the further away it is the less. It uses them between the bounds of what it knows, so there must be
     * time between them.
     */
    private double validMicros(long now) {
        double far = 2.0 * clock.widthMicros(now);
        if (far > slackMicros && !isToldFar.getAndSet(true)) {
            LOG.info(
                    "fleet {}: the way to {} is long for the limit {}; its permits are good for {} ms instead of {} ms,"
                            + " so requests of different processes may be as much closer together",
                    keys.fleet(),
                    store.watch().store(),
                    scope,
                    Math.round(far / 1000),
                    Math.round(slackMicros / 1000));
        }
        double late = isWindow // which takes back what lapses
                ? 0
                : Math.min(LATE_THREADS * store.lateNanos() / 1e3, MOST_LATENESS * intervalMicros);
        return Math.max(Math.max(slackMicros, far), late);
    }

    /**
     * {@return by how much later permits of a window are counted than they are due} As long as slow answers may be due
     * to a busy machine, permits count for as long as they are good, up to a second longer than usual. If the store
     * turns out to be far away, they count as if it were near, since otherwise less of the limit would be used.
     */
    private double laterMicros(double valid) {
        return clock.isSettled() ? 0 : Math.min(valid - slackMicros, MOST_LATER_MICROS);
    }

    private static String ahead() {
        return micros(AHEAD.toNanos() / 1e3);
    }

    private long lifetimeMillis() {
        double longest = isWindow ? 2.0 * windowMicros : toleranceMicros + 2 * slackMicros;
        return (long) (longest / 1e3) + 2 * AHEAD.toMillis();
    }

    private static String micros(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }

    private static String[] and(String[] some, String... more) {
        String[] all = Arrays.copyOf(some, some.length + more.length);
        System.arraycopy(more, 0, all, some.length, more.length);
        return all;
    }

    private Lease read(String id, List<Object> fields, long askedAt) {
        long answeredAt = time.nanoTime();
        if (fields.size() != FIELDS) {
            throw new IllegalArgumentException("a lease must have " + FIELDS + " fields, but had " + fields.size());
        }
        long permits = whole(fields.get(0), 1_000_000_000_000L);
        long first = whole(fields.get(1), MOST_MICROS);
        double gap = permits == 1
                ? 0
                : Math.min(Math.max(0, Double.parseDouble(String.valueOf(fields.get(2)))), (double) MOST_MICROS);
        long valid = Math.max(1, whole(fields.get(3), MOST_MICROS));
        int sharers = (int) Math.max(1, whole(fields.get(4), 1_000_000));
        String state = String.valueOf(fields.get(5));
        long now = whole(fields.get(6), Long.MAX_VALUE / 1000);
        if ("1".equals(fields.get(7))) {
            store.watch().lost(scope);
        }
        if (permits == 0) {
            return Lease.none(duration(first), sharers);
        }
        Matcher parts = STATE.matcher(state);
        if (!parts.matches()) {
            throw new IllegalArgumentException("the state of a limit must be one or three numbers, but was " + state);
        }
        seen.put(id, Seen.of(state, now, answeredAt, sharers, seen.get(id)));
        // The clock knows better when the store answered than question and answer alone.
        StoreClock.Range due = clock.range(now + first, now, askedAt, answeredAt);
        long wait = Math.max(0, due.latest() - answeredAt);
        long good = Math.max(1, due.earliest() + valid * 1000 - askedAt - wait);
        long countedAt = isWindow ? whole(state, Long.MAX_VALUE / 1000) : now + first;
        return new Lease(
                permits,
                Duration.ofNanos(wait),
                Duration.ofNanos(Math.round(gap * 1000)),
                Duration.ofNanos(good),
                sharers,
                (countedAt - wait / 1000) + ":" + Objects.requireNonNullElse(parts.group(1), "0"));
    }

    private static Duration duration(long value) {
        return Duration.ofNanos(value * 1000);
    }

    private static long whole(Object field, long most) {
        return Math.min(Math.max(0, Long.parseLong(String.valueOf(field))), most);
    }

    @Override
    public void giveBack(String key, Lease lease) {
        if (lease.permits() == 0 || lease.receipt().isEmpty()) {
            return;
        }
        String id = keys.id(scope, key);
        String[] receipt = lease.receipt().split(":", 2);
        long due = Long.parseLong(receipt[0]) + lease.first().toNanos() / 1000;
        String count = String.valueOf(lease.permits());
        if (isWindow) {
            String window = String.valueOf(windowMicros);
            store.send(Step.GIVE_TO_WINDOW, new String[] {keys.of("w", id)}, String.valueOf(due), count, window);
        } else {
            store.send(
                    Step.GIVE_TO_BUCKET,
                    new String[] {keys.of("b", id), keys.of("r", id)},
                    String.valueOf(due),
                    String.valueOf(lease.interval().toNanos() / 1000),
                    count,
                    receipt[1],
                    micros(validMicros(time.nanoTime())),
                    micros(intervalMicros),
                    String.valueOf(lifetimeMillis()));
        }
    }
}
