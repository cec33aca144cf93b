package dev.throttle.spring.boot;

import dev.throttle.internal.StandardLabels;
import dev.throttle.spring.boot.ThrottleProperties.Client;
import java.net.URI;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How keys are shown, by the properties. Where these say nothing, as in the library. */
final class KeyLabels implements Function<String, String> {

    private static final String PLACES = "a text with {key}, {host} or {hash}, as different keys need different labels";
    private static final Pattern PLACE = Pattern.compile("\\{(?:key|host|hash)}");

    private final Function<String, String> standard = new StandardLabels();
    private final @Nullable String forAll;
    private final Map<String, Client> clients;
    private final ClientRules rules;

    private KeyLabels(@Nullable String forAll, Map<String, Client> clients, ClientRules rules) {
        this.forAll = forAll;
        this.clients = clients;
        this.rules = rules;
    }

    /** {@return the labels; null if the properties say nothing of any} */
    static @Nullable KeyLabels of(ThrottleProperties properties, ClientRules rules) {
        check("throttle.label", properties.label(), false);
        properties
                .clients()
                .forEach((name, client) -> check(
                        "throttle.clients." + name + ".label",
                        client.label(),
                        client.hosts().size() == 1 && !client.hosts().get(0).contains("*")));
        boolean isAny = properties.label() != null
                || properties.clients().values().stream().anyMatch(client -> client.label() != null);
        return isAny ? new KeyLabels(properties.label(), properties.clients(), rules) : null;
    }

    private static void check(String property, @Nullable String label, boolean isForOneKey) {
        if (label != null) {
            String rest = PLACE.matcher(label).replaceAll("");
            boolean isKnown = !rest.contains("{") && !rest.contains("}");
            boolean isSingle = isForOneKey || !rest.equals(label);
            PropertyCheck.check(isKnown && isSingle && !label.isBlank(), property, label, "a label must be " + PLACES);
        }
    }

    @Override
    public String apply(String key) {
        String shown = standard.apply(key);
        String label = labelOf(key);
        return label == null
                ? shown
                : label.replace("{key}", shown)
                        .replace("{host}", hostOf(shown))
                        .replace("{hash}", StandardLabels.hash(key));
    }

    private @Nullable String labelOf(String key) {
        for (ClientRules.Rule rule : rules.inOrder()) {
            if (rule.pattern().test(key)) {
                String own = Objects.requireNonNull(clients.get(rule.client())).label();
                return own == null ? forAll : own;
            }
        }
        return forAll;
    }

    /** {@return the host of an origin, or the first word of another key} */
    private static String hostOf(String shown) {
        String first = shown.split("\\s", 2)[0];
        try {
            String host = first.contains("://") ? URI.create(first).getHost() : null;
            return host == null ? first : host;
        } catch (IllegalArgumentException e) {
            return first;
        }
    }
}
