package dev.throttle.lease;

import dev.throttle.control.Controller;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.Strategy;
import dev.throttle.internal.CallbackPool;
import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * A fixed limit that several processes share. Each process leases permits in the background for about the next tenth of
 * a second and spends them locally, so that no request waits for a round trip while permits are available. A process
 * asks for more before they run out, gives back what it does not need, and loses at most one lease if it dies.
 *
 * <p>{@code throttle-redis} and {@code throttle-bucket4j} make such limits; the builder is only needed for a
 * {@link LeaseSource} of your own. Add it with {@link dev.throttle.Throttle.Builder#limit}. The limit applies to each
 * key of a registry separately. The store distinguishes keys by the throttle's name and key. Thread-safe.
 */
public final class LeasedLimit implements Strategy, AutoCloseable {

    private final String name;
    private final LeaseTerms terms;
    private final Map<String, Account> accounts = new ConcurrentHashMap<>();
    private volatile boolean closed;
    private volatile int pruneAt = 64;

    private LeasedLimit(Builder builder) {
        this.name = builder.name;
        this.terms = new LeaseTerms(
                builder.source,
                builder.unit,
                builder.perSecond,
                builder.burst,
                builder.expectedProcesses,
                Nanos.of(builder.period),
                builder.windowNanos,
                builder.whenAway,
                builder.time,
                builder.executor);
    }

    /**
     * {@return a builder}
     *
     * @param source where the permits come from
     * @param permits the rate of the whole limit: so many permits in each period, at least 1
     * @param period the period, above zero. The rate is what a process keeps a share of while the store is away, and
     *     what is shown; the store knows it by itself
     */
    public static Builder builder(LeaseSource source, long permits, Duration period) {
        return new Builder(source, permits, period);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Map<String, String> settings() {
        return Map.of("unit", terms.unit(), "whenAway", terms.whenAway().name());
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public Controller newController(ControllerHost host) {
        if (host.isDetached()) {
            return new LeasedController(terms, new Account(terms, name), null); // an account of its own
        }
        prune();
        String key = host.name().length() + ":" + host.name() + host.key();
        Account account = accounts.compute(key, (k, there) -> {
            Account joined = there == null ? new Account(terms, k) : there;
            joined.join(host);
            return joined;
        });
        if (closed) {
            account.close();
        }
        return new LeasedController(terms, account, host);
    }

    /** {@return how many permits are leased and not spent at the moment, those not due yet included, of all keys} */
    public long atHand() {
        return accounts.values().stream().mapToLong(Account::atHand).sum();
    }

    /** Forgets keys that no throttle has any more. */
    private void prune() {
        if (accounts.size() >= pruneAt) {
            accounts.keySet()
                    .forEach(key -> accounts.computeIfPresent(key, (k, account) -> {
                        if (!account.isAbandoned()) {
                            return account;
                        }
                        account.close();
                        return null;
                    }));
            pruneAt = Math.max(64, 2 * accounts.size());
        }
    }

    /** Gives back all leases that are not spent. From then on the process behaves as it does without the store. */
    @Override
    public void close() {
        closed = true;
        accounts.values().forEach(Account::close);
    }

    @Override
    public String toString() {
        return name + settings();
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder {

        private final LeaseSource source;
        private final double perSecond;
        private final Duration ratePeriod;
        private long windowNanos;
        private String name = "leased-limit";
        private String unit = Quota.REQUESTS;
        private long burst;
        private int expectedProcesses = 10;
        private Duration period = Duration.ofMillis(100);
        private WhenAway whenAway = WhenAway.SHARE;
        private TimeSource time = TimeSource.system();
        private Executor executor = CallbackPool.shared();

        private Builder(LeaseSource source, long permits, Duration period) {
            this.source = Preconditions.required("source", source);
            Preconditions.between("permits", permits, 1, 1_000_000_000);
            this.perSecond = permits / Nanos.toSeconds(Nanos.of(Preconditions.positive("period", period)));
            this.ratePeriod = period;
            this.burst = permits;
        }

        /**
         * Sets the name, shown as reason of waits; {@code leased-limit} by default.
         *
         * @param value not blank
         * @return this builder
         */
        public Builder name(String value) {
            this.name = Preconditions.notBlank("name", value);
            return this;
        }

        /**
         * Sets the unit that the limit counts; requests by default.
         *
         * @param value the unit's name as in {@link Quota#unit()}
         * @return this builder
         */
        public Builder unit(String value) {
            Cost.of(value, 0); // checks the name
            this.unit = value;
            return this;
        }

        /**
         * Sets the most that a single request may take; the permits of one period by default.
         *
         * @param value from 1 to a billion
         * @return this builder
         */
        public Builder burst(long value) {
            this.burst = Preconditions.between("burst", value, 1, 1_000_000_000);
            return this;
        }

        /**
         * Says that the limit is a sliding window: no more than the permits of one period in any interval of this
         * length. By default it is a token bucket. A process that has to do without the store then keeps to its share
         * in each window, leases of before included.
         *
         * @return this builder
         */
        public Builder slidingWindow() {
            this.windowNanos = Nanos.of(ratePeriod);
            return this;
        }

        /**
         * Sets for how long a lease is made; 100 ms by default. A shorter time means more conversation with the store
         * and less that is lost with a process.
         *
         * @param value from 10 ms to 10 s
         * @return this builder
         */
        public Builder leasePeriod(Duration value) {
            Preconditions.between("leasePeriod in milliseconds", value.toMillis(), 10, 10_000);
            this.period = value;
            return this;
        }

        /**
         * Sets how many processes are to be expected: a process that has not reached the store since it started keeps
         * to such a share of the limit with {@link WhenAway#SHARE}; 10 by default.
         *
         * @param value from 1 to a million
         * @return this builder
         */
        public Builder expectedProcesses(int value) {
            this.expectedProcesses = (int) Preconditions.between("expectedProcesses", value, 1, 1_000_000);
            return this;
        }

        /**
         * Sets what happens while the store cannot be reached. The default is {@link WhenAway#SHARE}.
         *
         * @param value what
         * @return this builder
         */
        public Builder whenAway(WhenAway value) {
            this.whenAway = Preconditions.required("whenAway", value);
            return this;
        }

        /**
         * Sets the clock and the timer: the same as those of the throttles. Those of the JVM by default.
         *
         * @param value the time source
         * @return this builder
         */
        public Builder time(TimeSource value) {
            this.time = Preconditions.required("time", value);
            return this;
        }

        /**
         * Sets where the source is asked and its answers are taken; a shared pool of daemon threads by default. It must
         * not run tasks on the spot.
         *
         * @param value the executor
         * @return this builder
         */
        public Builder executor(Executor value) {
            this.executor = Preconditions.required("executor", value);
            return this;
        }

        /** {@return the limit} */
        public LeasedLimit build() {
            return new LeasedLimit(this);
        }
    }
}
