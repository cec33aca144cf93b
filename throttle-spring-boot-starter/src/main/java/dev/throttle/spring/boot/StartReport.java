package dev.throttle.spring.boot;

import dev.throttle.Priority;
import dev.throttle.ThrottleMode;
import dev.throttle.control.Strategies;
import dev.throttle.internal.DurationText;
import dev.throttle.spring.KeyResolver;
import dev.throttle.spring.boot.ThrottleProperties.Client;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;

/** Says in the log, in one line, what is throttled, by what, and which hosts differ. */
final class StartReport {

    private static final Logger LOG = LoggerFactory.getLogger("dev.throttle.spring");

    /** The beans that throttle the clients which Spring Boot makes. */
    private static final Map<String, String> CLIENTS = new TreeMap<>(Map.of(
            "throttlingRestClientCustomizer", "RestClient",
            "throttlingRestTemplateCustomizer", "RestTemplate",
            "throttlingWebClientCustomizer", "WebClient"));

    private StartReport() {}

    static void log(ThrottleProperties properties, ListableBeanFactory beans) {
        if (!LOG.isInfoEnabled()) {
            return;
        }
        String clients = CLIENTS.entrySet().stream()
                .filter(client -> beans.containsBean(client.getKey()))
                .map(Map.Entry::getValue)
                .collect(Collectors.joining(", "));
        boolean hasResolver = beans.getBeanNamesForType(KeyResolver.class, true, false).length > 0;
        Client forAll = properties.forAll();
        List<String> settings = settings(forAll);
        if (forAll.strategy() == null) {
            settings.add(0, Strategies.standard().name());
        }
        String differing = new TreeMap<>(properties.clients())
                .entrySet().stream()
                        .filter(client -> !settings(client.getValue()).isEmpty())
                        .map(client -> "; " + client.getKey() + " ("
                                + String.join(", ", client.getValue().hosts()) + "): "
                                + String.join(", ", settings(client.getValue())))
                        .collect(Collectors.joining());
        LOG.info(
                "Throttle \"{}\" throttles {} by {}: {}{}",
                properties.name(),
                clients.isEmpty() ? "clients that are given its beans" : clients,
                hasResolver ? "the keys of a KeyResolver" : "scheme, host and port",
                String.join(", ", settings),
                differing);
    }

    /** {@return what is set, in words} */
    private static List<String> settings(Client client) {
        List<String> settings = new ArrayList<>();
        add(settings, "", client.strategy());
        client.limits().forEach(limit -> add(settings, "", limit.strategy() + " " + limit.settings()));
        add(settings, "max-wait ", client.maxWait() == null ? null : DurationText.spoken(client.maxWait()));
        add(
                settings,
                "overload-wait ",
                client.overloadWait() == null ? null : DurationText.spoken(client.overloadWait()));
        add(settings, "max-waiting ", client.maxWaiting());
        add(settings, "async-in-flight ", client.asyncInFlight());
        add(settings, "when-full ", client.whenFull());
        add(settings, "", client.mode() == ThrottleMode.OBSERVE ? "only observed" : null);
        add(
                settings,
                "settings ",
                client.strategy() != null || client.settings().isEmpty() ? null : client.settings());
        add(settings, "reserve ", client.reserve().isEmpty() ? null : client.reserve());
        add(settings, "label ", client.label());
        add(settings, "", client.retry().isSet() ? "its own retries" : null);
        if (client.priority() != Priority.NORMAL) {
            settings.add("priority " + client.priority().name().toLowerCase(Locale.ROOT));
        }
        if (!client.exemptPaths().isEmpty()) {
            settings.add("not " + String.join(", ", client.exemptPaths()));
        }
        return settings;
    }

    private static void add(List<String> settings, String name, @Nullable Object value) {
        if (value != null) {
            settings.add(name + value);
        }
    }
}
