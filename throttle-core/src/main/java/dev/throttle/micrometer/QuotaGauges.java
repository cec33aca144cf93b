package dev.throttle.micrometer;

import dev.throttle.ThrottleListener.Source;
import dev.throttle.signal.Quota;
import io.micrometer.core.instrument.Gauge;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Limit and remaining units of each policy of a server, and the callers that wait for it, registered when the server
 * first tells them. Once there, a gauge keeps the last number known, also when a response leaves it out.
 */
final class QuotaGauges {

    /** A server that makes policies up must not fill the registry: the first ones are shown, the others are not. */
    static final int MOST_POLICIES = 16;

    /** The policy tag of a quota without a name. */
    static final String UNNAMED = "unnamed";

    private final MeterGroup group;
    private final Map<String, Policy> policies = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();

    QuotaGauges(MeterGroup group) {
        this.group = group;
    }

    void seen(Source throttle, List<Quota> quotas) {
        for (int i = 0; i < quotas.size(); i++) {
            Quota quota = quotas.get(i);
            Policy policy = policies.get(nameOf(quota));
            if (policy == null ? policies.size() < MOST_POLICIES : policy.isNewIn(quota)) {
                show(throttle, quota);
            }
        }
    }

    private void show(Source throttle, Quota quota) {
        lock.lock();
        try {
            String name = nameOf(quota);
            if (policies.size() < MOST_POLICIES) {
                policies.computeIfAbsent(name, added -> new Policy());
            }
            Policy policy = policies.get(name);
            if (policy != null && !policy.showsWaiting && quota.policy() != null) {
                policy.showsWaiting = true;
                group.add((registry, tags) -> Gauge.builder(
                                "throttle.quota.waiting",
                                throttle,
                                source -> source.snapshot().waitingByQuota().getOrDefault(name, 0))
                        .description("Callers that wait for the policy")
                        .baseUnit("callers")
                        .tags(tags)
                        .tag("policy", name)
                        .register(registry));
            }
            if (policy != null && policy.limit == null && quota.limit() != null) {
                policy.limit = new Last(name, Quota::limit, quota.limit());
                gauge("throttle.quota.limit", "Units that the policy grants", throttle, name, policy.limit);
            }
            if (policy != null && policy.remaining == null && quota.remaining() != null) {
                policy.remaining = new Last(name, Quota::remaining, quota.remaining());
                gauge("throttle.quota.remaining", "Units that are left", throttle, name, policy.remaining);
            }
        } finally {
            lock.unlock();
        }
    }

    private void gauge(String meter, String description, Source throttle, String policy, Last value) {
        group.add((registry, tags) -> Gauge.builder(meter, throttle, value)
                .description(description)
                .baseUnit("units")
                .tags(tags)
                .tag("policy", policy)
                .register(registry));
    }

    private static String nameOf(Quota quota) {
        String name = quota.policy();
        return name == null ? UNNAMED : name;
    }

    /** The numbers of a policy that are shown already. */
    private static final class Policy {

        volatile @Nullable Last limit;
        volatile @Nullable Last remaining;
        volatile boolean showsWaiting;

        boolean isNewIn(Quota quota) {
            return (!showsWaiting && quota.policy() != null)
                    || (limit == null && quota.limit() != null)
                    || (remaining == null && quota.remaining() != null);
        }
    }

    /** Reads a number of a policy, and remembers it. */
    private static final class Last implements ToDoubleFunction<Source> {

        private final String policy;
        private final Function<Quota, @Nullable Long> number;
        private volatile double last;

        Last(String policy, Function<Quota, @Nullable Long> number, double first) {
            this.policy = policy;
            this.number = number;
            this.last = first;
        }

        @Override
        public double applyAsDouble(Source throttle) {
            for (Quota quota : throttle.snapshot().quotas()) {
                Long value = nameOf(quota).equals(policy) ? number.apply(quota) : null;
                if (value != null) {
                    last = value;
                }
            }
            return last;
        }
    }
}
