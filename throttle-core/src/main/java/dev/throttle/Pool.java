package dev.throttle;

import dev.throttle.client.Calls;
import dev.throttle.engine.PoolCall;
import dev.throttle.engine.PoolLine;
import dev.throttle.engine.PoolMember;
import dev.throttle.internal.Preconditions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Several keys with quotas of their own that can do the same work: regions or deployments of a model, installations of
 * an app, provisioned and pay-as-you-go capacity. Each call goes to the member that can take it first.
 *
 * <pre>{@code
 * Pool pool = Pool.of(throttles, Pool.member("eastus"), Pool.member("westus"), Pool.member("payg").tier(2));
 * Reply reply = pool.execute(member -> clients.get(member).ask(question));
 * }</pre>
 *
 * <p>A call takes a member that can let it go now: of the best tier, and within a tier the one with the largest share
 * left of the quota that is scarcest for the call. If no member can let it go, it waits in one line for whichever is
 * free first. If a member refuses a request, the next attempt may go to another member at once. The same holds if the
 * request was certainly not sent, or is idempotent and failed.
 *
 * <p>Each member is a key of a {@link ThrottleRegistry}, and has the settings, the metrics and the state of that key.
 * Calls that use such a key without the pool go before those of the pool. Thread-safe.
 */
public final class Pool {

    static {
        Calls.grantPools(pool -> ((Pool) pool).line);
    }

    /**
     * A member of a pool.
     *
     * @param key the key of the registry that has the member's limits
     * @param tier members with a lower tier are preferred, from 1 to 1,000
     */
    public record Member(String key, int tier) {

        private static final int MOST_TIERS = 1_000;

        /**
         * Checks the values.
         *
         * @param key see the record
         * @param tier see the record
         */
        public Member {
            Preconditions.notBlank("key", key);
            Preconditions.between("tier", tier, 1, MOST_TIERS);
        }

        /**
         * {@return this member in another tier}
         *
         * @param value a lower tier is preferred, from 1 to 1,000
         */
        public Member tier(int value) {
            return new Member(key, value);
        }
    }

    /**
     * Sends one request to a member.
     *
     * @param <T> the result
     */
    @FunctionalInterface
    public interface Action<T> {

        /**
         * Sends the request.
         *
         * @param member the key of the member, as it was given to {@link Pool#member}
         * @return the result
         * @throws Exception what the attempt failed with
         */
        T call(String member) throws Exception;
    }

    private final PoolLine line;

    private Pool(Builder builder) {
        List<PoolMember> members = builder.members.stream()
                .map(member -> new PoolMember(
                        member.key,
                        member.tier,
                        () -> builder.registry.get(member.key).engine()))
                .toList();
        this.line = new PoolLine(builder.name, builder.registry, members, builder.affinityWait, builder.spillAfter);
    }

    /**
     * {@return a member in tier 1}
     *
     * @param key the key of the registry that has the member's limits, such as the name of a deployment
     */
    public static Member member(String key) {
        return new Member(key, 1);
    }

    /**
     * {@return a pool with the defaults}
     *
     * @param registry has the throttles of the members
     * @param members at least one, with different keys
     */
    public static Pool of(ThrottleRegistry registry, Member... members) {
        return builder(registry).members(members).build();
    }

    /**
     * {@return a builder with the defaults}
     *
     * @param registry has the throttles of the members
     */
    public static Builder builder(ThrottleRegistry registry) {
        return new Builder(registry);
    }

    /** {@return the name set with the builder, shown in logs and exceptions} */
    public String name() {
        return line.name();
    }

    /**
     * Runs an action through the pool on the calling thread, and repeats it as the retry policies of the members say.
     *
     * @param action sends one request to a member
     * @param <T> the result
     * @return the result of the last attempt, refused or not
     * @throws ThrottleRejectedException if no member can let the call go within {@code maxWait}. The message names each
     *     member and why
     * @throws InterruptedException if the thread is or gets interrupted while it waits
     * @throws Exception what the action threw in its last attempt
     */
    public <T> T execute(Action<T> action) throws Exception {
        return execute(CallOptions.DEFAULT, action);
    }

    /**
     * Runs an action through the pool on the calling thread, and repeats it as the retry policies of the members say.
     *
     * @param options the options of the call
     * @param action sends one request to a member
     * @param <T> the result
     * @return the result of the last attempt, refused or not
     * @throws ThrottleRejectedException if no member can let the call go within {@code maxWait}. The message names each
     *     member and why
     * @throws InterruptedException if the thread is or gets interrupted while it waits
     * @throws Exception what the action threw in its last attempt
     */
    public <T> T execute(CallOptions options, Action<T> action) throws Exception {
        PoolCall call = newCall(options, action);
        return Execution.run(call, () -> action.call(call.member()), classifier(call));
    }

    /**
     * Runs an action through the pool on the calling thread, and repeats it as the retry policies of the members say.
     *
     * @param options the options of the call
     * @param action sends one request to a member
     * @param classifier decides what a result or exception says about the server, and discards unused results
     * @param <T> the result
     * @return the result of the last attempt, refused or not
     * @throws ThrottleRejectedException if no member can let the call go within {@code maxWait}. The message names each
     *     member and why
     * @throws InterruptedException if the thread is or gets interrupted while it waits
     * @throws Exception what the action threw in its last attempt
     */
    public <T> T execute(CallOptions options, Action<T> action, ResultClassifier<? super T> classifier)
            throws Exception {
        PoolCall call = newCall(options, action);
        Preconditions.required("classifier", classifier);
        return Execution.run(call, () -> action.call(call.member()), new SafeResultClassifier<>(classifier));
    }

    /**
     * Runs an asynchronous action through the pool, and repeats it as the retry policies of the members say.
     *
     * @param options the options of the call
     * @param action starts one request to the member whose key it gets; runs on the calling thread or on the executor
     *     of the registry
     * @param <T> the result
     * @return a future that completes as the last attempt does. Cancelling it, or completing it in any other way, ends
     *     the wait or cancels the current attempt
     */
    public <T> CompletableFuture<T> executeAsync(
            CallOptions options, Function<String, ? extends CompletionStage<T>> action) {
        PoolCall call = newCall(options, action);
        return AsyncExecution.start(call, () -> action.apply(call.member()), classifier(call));
    }

    /**
     * Runs an asynchronous action through the pool, and repeats it as the retry policies of the members say.
     *
     * @param options the options of the call
     * @param action starts one request to the member whose key it gets; runs on the calling thread or on the executor
     *     of the registry
     * @param classifier decides what a result or exception says about the server, and discards unused results
     * @param <T> the result
     * @return a future that completes as the last attempt does. Cancelling it, or completing it in any other way, ends
     *     the wait or cancels the current attempt
     */
    public <T> CompletableFuture<T> executeAsync(
            CallOptions options,
            Function<String, ? extends CompletionStage<T>> action,
            ResultClassifier<? super T> classifier) {
        PoolCall call = newCall(options, action);
        Preconditions.required("classifier", classifier);
        return AsyncExecution.start(call, () -> action.apply(call.member()), new SafeResultClassifier<>(classifier));
    }

    private PoolCall newCall(CallOptions options, Object action) {
        Preconditions.required("action", action);
        Preconditions.check(
                !Preconditions.required("options", options).isExempt(),
                "options",
                "exempt",
                "options of a call that is throttled, as the pool chooses the member");
        return new PoolCall(line, options);
    }

    /** Reads answers as the member does that has sent them. */
    private static <T> SafeResultClassifier<T> classifier(PoolCall call) {
        return new SafeResultClassifier<>(new StandardResultClassifier(call::read));
    }

    /** {@return why calls are waiting now, and when each member is free, in one sentence for a log} */
    public String explainWait() {
        return line.explain();
    }

    /** {@return the current state of the pool} */
    public PoolSnapshot snapshot() {
        return PoolSnapshot.of(line);
    }

    @Override
    public String toString() {
        return "Pool[" + name() + ", " + line.members().size() + " members]";
    }

    /** Collects the settings of a pool. Not thread-safe. */
    public static final class Builder {

        private static final int MOST_MEMBERS = 100;

        private final ThrottleRegistry registry;
        private final List<Member> members = new ArrayList<>();
        private String name = "pool";
        private Duration affinityWait = Duration.ofSeconds(2);
        private Duration spillAfter = Duration.ZERO;

        private Builder(ThrottleRegistry registry) {
            this.registry = Preconditions.required("registry", registry);
        }

        /**
         * Sets the name that is shown in logs, exceptions and snapshots. The default is {@code pool}.
         *
         * @param value not blank
         * @return this builder
         */
        public Builder name(String value) {
            this.name = Preconditions.notBlank("name", value);
            return this;
        }

        /**
         * Adds members.
         *
         * @param more up to 100 in all, with different keys
         * @return this builder
         */
        public Builder members(Member... more) {
            for (Member member : Preconditions.required("members", more)) {
                members.add(Preconditions.required("member", member));
            }
            return this;
        }

        /**
         * Sets how long a call with an {@linkplain CallOptions#affinity affinity} waits for the member that served the
         * last call with the same name. If the wait there is longer, another member takes the call, and from then on
         * those that follow. The default is 2 s. The pool remembers the 10,000 names that were used last.
         *
         * @param value zero or more
         * @return this builder
         */
        public Builder affinityWait(Duration value) {
            this.affinityWait = Preconditions.notNegative("affinityWait", value);
            return this;
        }

        /**
         * Sets how long a call waits for a member of a better tier before it goes to one of the next. It waits only if
         * a member of the better tier is known to be free in that time. The default is zero: the next tier takes what
         * the better one cannot let go at once.
         *
         * @param value zero or more
         * @return this builder
         */
        public Builder spillAfter(Duration value) {
            this.spillAfter = Preconditions.notNegative("spillAfter", value);
            return this;
        }

        /**
         * {@return the pool}
         *
         * @throws IllegalArgumentException if there is no member, or if two have the same key
         */
        public Pool build() {
            Preconditions.between("the number of members", members.size(), 1, MOST_MEMBERS);
            Set<String> keys = new HashSet<>();
            for (Member member : members) {
                String key = registry.get(member.key).key();
                Preconditions.check(keys.add(key), "members", "'" + key + "' twice", "members with different keys");
            }
            return new Pool(this);
        }
    }
}
