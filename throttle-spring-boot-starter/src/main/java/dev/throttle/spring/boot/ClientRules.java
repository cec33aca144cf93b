package dev.throttle.spring.boot;

import dev.throttle.CallOptions;
import dev.throttle.client.Origin;
import dev.throttle.internal.KeyPattern;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.util.AntPathMatcher;

/**
 * Which client of the properties a URL belongs to: that of the most special pattern that matches its host, whatever the
 * order of the properties is.
 */
final class ClientRules {

    /**
     * A pattern of hosts.
     *
     * @param pattern what it matches
     * @param text the pattern as it is written
     * @param client the name of the client
     * @param options what requests to these hosts want
     * @param exemptPaths which of them are not throttled
     */
    record Rule(KeyPattern pattern, String text, String client, CallOptions options, List<String> exemptPaths) {

        /** A pattern that another one covers has more characters that are no stars, or as many and fewer stars. */
        private static final Comparator<Rule> SPECIAL_FIRST = Comparator.comparingLong(Rule::characters)
                .reversed()
                .thenComparingInt(rule -> rule.text().length());

        private long characters() {
            return text.chars().filter(c -> c != '*').count();
        }
    }

    private final List<Rule> rules;
    private final AntPathMatcher paths = new AntPathMatcher();

    private ClientRules(List<Rule> rules) {
        this.rules = rules;
    }

    static ClientRules of(Map<String, ThrottleProperties.Client> clients) {
        List<Rule> rules = new ArrayList<>();
        Map<String, String> owners = new HashMap<>();
        clients.forEach((name, client) -> {
            String property = "throttle.clients." + name + ".hosts";
            PropertyCheck.check(!client.hosts().isEmpty(), property, client.hosts(), "at least one host is needed");
            for (String host : client.hosts()) {
                String owner = owners.put(host, name);
                PropertyCheck.check(
                        owner == null, property, host, "the host belongs to client '" + owner + "' already");
                PropertyCheck.set(property, host, text -> rules.add(rule(text, name, client)));
            }
        });
        rules.sort(Rule.SPECIAL_FIRST);
        return new ClientRules(List.copyOf(rules));
    }

    private static Rule rule(String host, String name, ThrottleProperties.Client client) {
        CallOptions options = CallOptions.DEFAULT.priority(client.priority());
        return new Rule(new KeyPattern(host), host, name, options, client.exemptPaths());
    }

    /** {@return the patterns, the more special ones first} */
    List<Rule> inOrder() {
        return rules;
    }

    /** {@return what a request to a URL wants that has no options of its own} */
    CallOptions optionsOf(URI uri) {
        if (rules.isEmpty()) {
            return CallOptions.DEFAULT;
        }
        String origin = Origin.of(uri);
        for (Rule rule : rules) {
            if (rule.pattern().test(origin)) {
                return isExempt(rule, uri) ? CallOptions.exempt() : rule.options();
            }
        }
        return CallOptions.DEFAULT;
    }

    private boolean isExempt(Rule rule, URI uri) {
        String path = uri.getPath() == null || uri.getPath().isEmpty() ? "/" : uri.getPath();
        return rule.exemptPaths().stream().anyMatch(pattern -> paths.match(pattern, path));
    }
}
