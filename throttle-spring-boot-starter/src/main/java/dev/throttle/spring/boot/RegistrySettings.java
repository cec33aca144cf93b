package dev.throttle.spring.boot;

import dev.throttle.KeySettings;
import dev.throttle.Priority;
import dev.throttle.PriorityPolicy;
import dev.throttle.ThrottleMode;
import dev.throttle.ThrottleRegistry;
import dev.throttle.WhenFull;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.control.StrategyBuilder;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.HintReader;
import dev.throttle.spring.boot.ThrottleProperties.Client;
import dev.throttle.spring.boot.ThrottleProperties.Limit;
import dev.throttle.spring.boot.ThrottleProperties.Retry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/** Makes the settings of a registry from the properties. What is refused is refused by the property's name. */
final class RegistrySettings {

    private static final String PREFIX = "throttle.";

    /** With the name of a protocol, which is longer than a drive's. */
    private static final Pattern LOCATION = Pattern.compile("[a-z]{2,}:.*");

    /** The setters that a registry and a key of it have in common. */
    private record Target(
            Consumer<Strategy> strategy,
            Runnable clearLimits,
            Consumer<Strategy> limit,
            Consumer<Duration> maxWait,
            Consumer<Duration> overloadWait,
            Consumer<Integer> maxWaiting,
            Consumer<Integer> asyncInFlight,
            Consumer<WhenFull> whenFull,
            Consumer<Boolean> learnRoutes,
            Consumer<ThrottleMode> mode,
            Consumer<PriorityPolicy> priorities,
            Consumer<RetryPolicy> retryPolicy) {

        static Target of(ThrottleRegistry.Builder all) {
            return new Target(
                    all::strategy,
                    () -> {},
                    all::limit,
                    all::maxWait,
                    all::overloadWait,
                    all::maxWaiting,
                    all::asyncInFlight,
                    all::whenFull,
                    all::learnRoutes,
                    all::mode,
                    all::priorities,
                    all::retryPolicy);
        }

        static Target of(KeySettings key) {
            return new Target(
                    key::strategy,
                    key::clearLimits,
                    key::limit,
                    key::maxWait,
                    key::overloadWait,
                    key::maxWaiting,
                    key::asyncInFlight,
                    key::whenFull,
                    key::learnRoutes,
                    key::mode,
                    key::priorities,
                    key::retryPolicy);
        }
    }

    private RegistrySettings() {}

    /** {@return a builder that has what the properties say} */
    static ThrottleRegistry.Builder builder(
            ThrottleProperties properties, ClientRules rules, ResourceLoader resources) {
        ThrottleRegistry.Builder builder = ThrottleRegistry.builder();
        PropertyCheck.set(PREFIX + "name", properties.name(), builder::name);
        PropertyCheck.set(PREFIX + "max-keys", properties.maxKeys(), builder::maxKeys);
        PropertyCheck.set(PREFIX + "idle-expiry", properties.idleExpiry(), builder::idleExpiry);
        PropertyCheck.set(
                PREFIX + "tenant.weights",
                properties.tenant().weights().isEmpty()
                        ? null
                        : properties.tenant().weights(),
                builder::tenantWeights);
        PropertyCheck.set(
                PREFIX + "vendors",
                properties.vendors(),
                vendors -> builder.hintReader(HintReader.builder()
                        .vendors(entries(vendors, resources))
                        .build()));
        String usual = Objects.requireNonNullElse(
                properties.strategy(), Strategies.standard().name());
        Client forAll = properties.forAll();
        apply(PREFIX, forAll, null, usual, Target.of(builder));
        for (ClientRules.Rule rule : rules.inOrder()) {
            String prefix = PREFIX + "clients." + rule.client() + ".";
            Client client = Objects.requireNonNull(properties.clients().get(rule.client()));
            PropertyCheck.set(
                    prefix + "hosts",
                    rule.text(),
                    host -> builder.forKeys(host, key -> apply(prefix, client, forAll, usual, Target.of(key))));
        }
        KeyLabels labels = KeyLabels.of(properties, rules);
        if (labels != null) {
            builder.label(labels);
        }
        return builder;
    }

    /** {@return the entries that a property has, or those in the file or resource that it names} */
    private static String entries(String vendors, ResourceLoader resources) {
        if (vendors.stripLeading().startsWith("vendor:")) {
            return vendors;
        }
        Resource resource = resources.getResource(LOCATION.matcher(vendors).matches() ? vendors : "file:" + vendors);
        try {
            return resource.getContentAsString(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalArgumentException("vendors cannot be read: " + e.getMessage(), e);
        }
    }

    /** @param under what is said for all, where a client says nothing; null for that itself */
    private static void apply(String prefix, Client client, @Nullable Client under, String usual, Target target) {
        if (client.strategy() != null || !client.settings().isEmpty()) {
            String name = Objects.requireNonNullElse(client.strategy(), usual);
            Map<String, String> inherited = under == null || client.strategy() != null ? Map.of() : under.settings();
            target.strategy.accept(strategy(prefix, name, inherited, client.settings()));
        }
        List<Limit> limits = client.limits();
        if (!limits.isEmpty()) {
            target.clearLimits.run();
        }
        for (int i = 0; i < limits.size(); i++) {
            String at = prefix + "limits[" + i + "].";
            String name = limits.get(i).strategy();
            PropertyCheck.check(name != null, at + "strategy", "", "a limit needs a strategy, such as token-bucket");
            target.limit.accept(strategy(
                    at, Objects.requireNonNull(name), Map.of(), limits.get(i).settings()));
        }
        PropertyCheck.set(prefix + "max-wait", client.maxWait(), target.maxWait);
        PropertyCheck.set(prefix + "overload-wait", client.overloadWait(), target.overloadWait);
        PropertyCheck.set(prefix + "max-waiting", client.maxWaiting(), target.maxWaiting);
        PropertyCheck.set(prefix + "async-in-flight", client.asyncInFlight(), target.asyncInFlight);
        PropertyCheck.set(prefix + "when-full", client.whenFull(), target.whenFull);
        PropertyCheck.set(prefix + "learn-routes", client.learnRoutes(), target.learnRoutes);
        PropertyCheck.set(prefix + "mode", client.mode(), target.mode);
        if (!client.reserve().isEmpty()) {
            Map<Priority, Double> inherited = under == null ? Map.of() : under.reserve();
            target.priorities.accept(priorities(prefix + "reserve.", inherited, client.reserve()));
        }
        if (client.retry().isSet()) {
            target.retryPolicy.accept(retryPolicy(
                    prefix + "retry.",
                    under == null ? client.retry() : client.retry().over(under.retry())));
        }
    }

    /** @param inherited settings that are checked already, which the others come over */
    private static Strategy strategy(
            String prefix, String name, Map<String, String> inherited, Map<String, String> settings) {
        StrategyBuilder<?>[] found = new StrategyBuilder<?>[1];
        PropertyCheck.set(prefix + "strategy", name, known -> found[0] = Strategies.builder(known));
        StrategyBuilder<?> builder = found[0];
        inherited.forEach((key, text) -> builder.set(keyOf(builder, key), text));
        settings.forEach((key, text) ->
                PropertyCheck.set(prefix + "settings." + key, text, value -> builder.set(keyOf(builder, key), value)));
        Strategy[] made = new Strategy[1];
        PropertyCheck.set(prefix + "settings", settings, all -> made[0] = builder.build());
        return made[0];
    }

    /** {@return the setting that is meant: properties may be written with dashes, and variables in capitals} */
    private static String keyOf(StrategyBuilder<?> builder, String key) {
        String plain = plain(key);
        return builder.keys().stream()
                .filter(known -> plain(known).equals(plain))
                .findFirst()
                .orElse(key);
    }

    private static String plain(String key) {
        return key.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }

    /** @param inherited reserves that are checked already, which the others come over */
    private static PriorityPolicy priorities(
            String prefix, Map<Priority, Double> inherited, Map<Priority, Double> reserves) {
        PriorityPolicy[] policy = {PriorityPolicy.standard()};
        inherited.forEach((priority, share) -> policy[0] = policy[0].reserve(priority, share));
        reserves.forEach((priority, share) -> PropertyCheck.set(
                prefix + priority.name().toLowerCase(Locale.ROOT),
                share,
                value -> policy[0] = policy[0].reserve(priority, value)));
        return policy[0];
    }

    private static RetryPolicy retryPolicy(String prefix, Retry retry) {
        RetryPolicy.Builder builder = RetryPolicy.builder();
        PropertyCheck.set(prefix + "outcomes", retry.outcomes(), builder::outcomes);
        PropertyCheck.set(prefix + "max-attempts", retry.maxAttempts(), builder::maxAttempts);
        PropertyCheck.set(prefix + "non-idempotent", retry.nonIdempotent(), builder::retryNonIdempotent);
        return builder.build();
    }
}
