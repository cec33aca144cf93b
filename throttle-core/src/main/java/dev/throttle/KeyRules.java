package dev.throttle;

import dev.throttle.engine.EnginePolicy;
import dev.throttle.internal.KeyPattern;
import dev.throttle.internal.Preconditions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Which keys of a registry have which settings for themselves: the first rule that matches a key is its rule. */
final class KeyRules {

    private record Rule(Predicate<String> keys, Consumer<KeySettings> change) {}

    private record Applied(Predicate<String> keys, EnginePolicy settings) {}

    private final List<Rule> rules = new ArrayList<>();

    KeyRules copy() {
        KeyRules copy = new KeyRules();
        copy.rules.addAll(rules);
        return copy;
    }

    void clear() {
        rules.clear();
    }

    void put(String text, Consumer<KeySettings> change) {
        put(new KeyPattern(text), change);
    }

    /** Adds a rule, or puts it in the place of the one for the same keys. */
    void put(Predicate<String> keys, Consumer<KeySettings> change) {
        Rule rule = new Rule(Preconditions.required("forKeys", keys), Preconditions.required("change", change));
        for (int i = 0; i < rules.size(); i++) {
            if (rules.get(i).keys.equals(keys)) {
                rules.set(i, rule);
                return;
            }
            if (keys instanceof KeyPattern late && rules.get(i).keys instanceof KeyPattern early) {
                Preconditions.check(
                        !early.covers(late), "forKeys pattern", late, "before " + early + ", which leaves it no keys");
            }
        }
        rules.add(rule);
    }

    /** {@return the settings of each key}; throws what a rule throws, or if its settings do not go together */
    Settled settle(EnginePolicy ofAll) {
        List<Applied> applied = new ArrayList<>();
        for (Rule rule : rules) {
            try {
                applied.add(new Applied(rule.keys, KeySettings.change(ofAll, rule.change, false)));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("forKeys " + rule.keys + ": " + e.getMessage(), e);
            }
        }
        return new Settled(ofAll, copy(), List.copyOf(applied));
    }

    /** The settings of each key of a registry. Immutable. */
    static final class Settled {

        final EnginePolicy ofAll;
        /** Not to be changed. */
        final KeyRules rules;

        private final List<Applied> applied;

        private Settled(EnginePolicy ofAll, KeyRules rules, List<Applied> applied) {
            this.ofAll = ofAll;
            this.rules = rules;
            this.applied = applied;
        }

        /** {@return how often settings were changed before these} */
        long edition() {
            return ofAll.edition();
        }

        /** {@return the settings of a key}; asks predicates of the user's */
        EnginePolicy of(String key) {
            for (Applied rule : applied) {
                if (rule.keys.test(key)) {
                    return rule.settings;
                }
            }
            return ofAll;
        }
    }
}
