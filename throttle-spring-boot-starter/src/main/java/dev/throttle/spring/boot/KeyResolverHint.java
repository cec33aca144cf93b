package dev.throttle.spring.boot;

import dev.throttle.spring.boot.ThrottleProperties.Client;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells of settings that no key may have: those of hosts, where a bean makes keys that are no origins. */
final class KeyResolverHint {

    private static final Logger LOG = LoggerFactory.getLogger("dev.throttle.spring");

    private KeyResolverHint() {}

    static void check(Map<String, Client> clients) {
        List<String> doubtful = clients.entrySet().stream()
                .filter(client -> hasKeySettings(client.getValue())
                        && client.getValue().hosts().stream().allMatch(KeyResolverHint::isHostAlone))
                .map(client -> "throttle.clients." + client.getKey())
                .sorted()
                .toList();
        if (!doubtful.isEmpty()) {
            LOG.warn(
                    "A KeyResolver bean makes the keys. The settings of {} apply only to keys that are origins of their hosts;"
                            + " add patterns for other keys to the hosts, such as \"api.github.com *\"",
                    String.join(", ", doubtful));
        }
    }

    /** Priority and exempt paths go by the URL, whatever the key. */
    private static boolean hasKeySettings(Client client) {
        return client.strategy() != null
                || !client.settings().isEmpty()
                || !client.limits().isEmpty()
                || client.maxWait() != null
                || client.overloadWait() != null
                || client.maxWaiting() != null
                || client.whenFull() != null
                || client.learnRoutes() != null
                || !client.reserve().isEmpty()
                || client.label() != null
                || client.retry().isSet();
    }

    /** {@return whether a pattern is probably meant for hosts only} */
    private static boolean isHostAlone(String pattern) {
        boolean isHost = pattern.contains(".") || pattern.contains(":") || pattern.equals("localhost");
        return isHost && !pattern.contains(" ") && !pattern.endsWith("*");
    }
}
