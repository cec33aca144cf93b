package dev.throttle.engine;

import dev.throttle.control.Scope;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Learns which named quotas of the server count which routes: those that the last answers of a route have named. All of
 * them may count a route until several answers have named others. An answer that names none tells nothing. Guarded by
 * the engine's lock, unless a method says otherwise.
 */
final class Routes {

    /** Programs whose routes are told apart by ids must not fill the memory: those unused for longest are forgotten. */
    static final int MOST_ROUTES = 64;

    /** As many as fit into the bits of a number. */
    private static final int MOST_NAMES = 62;

    private static final int LONGEST = 256;
    /** A quota that so many answers of a route have not named, or twice as many, no longer counts the route. */
    private static final int GENERATION = 16;
    /** So many answers of a route must have named quotas before the others are taken not to count it. */
    private static final int ENOUGH = 3;

    private static final long EACH = -1;
    /** Calls of which it is not known yet whether other quotas count them stand in lanes of their own. */
    private static final long GUESSED = 1L << MOST_NAMES;

    /** What an answer changes. */
    enum News {
        NOTHING,
        /** Other quotas count the calls of its route. */
        ROUTE,
        /** There are other names, so that it may be so for all calls. */
        NAMES
    }

    /** The names of quotas, each in the place of its bit. Never changed, but replaced. */
    private List<String> names = List.of();

    private final Map<String, Route> routes = new LinkedHashMap<>(0, 0.75f, true);
    /** Whether the server has named a quota. */
    private volatile boolean matter;

    private boolean learns;
    /** The route that was asked for last. */
    private @Nullable FoundRoute last;

    /** What is known of one route. */
    private static final class Route {

        /** The quotas that its answers have named in this generation of answers and in the one before. */
        private long current;

        private long previous;
        private int answers;
        private boolean isKnown;

        private long told() {
            return current | previous;
        }

        private long quotas() {
            return isKnown ? told() : EACH;
        }

        /** A refusal may name only what is used up, so that it does not tell that other quotas do not count. */
        private void answered(long quotas, boolean isRefusal) {
            if (!isRefusal && ++answers > GENERATION) {
                previous = current;
                current = 0;
                answers = 1;
            }
            isKnown |= answers == ENOUGH;
            current |= quotas;
        }
    }

    /**
     * The quotas that count a call.
     *
     * @param quotas a bit for each name
     * @param isGuess whether its route has not enough answers yet, so that they may be fewer
     * @param told a bit for each of those that an answer of its route has named
     * @param names those that were known when this was made; a later one may count it too
     */
    record Known(long quotas, boolean isGuess, long told, List<String> names) implements Scope {

        /** {@return whether no answer has said that a quota counts the call, which it may do} */
        boolean doubts(String policy) {
            int place = isGuess ? names.indexOf(policy) : -1;
            return isGuess && (place < 0 || (told & 1L << place) == 0);
        }

        @Override
        public boolean counts(@Nullable String policy) {
            int place = policy == null ? -1 : names.indexOf(policy);
            return place < 0 || (quotas & 1L << place) != 0;
        }
    }

    Routes(boolean learns) {
        this.learns = learns;
    }

    /** Learns from now on, or forgets all and learns no more. */
    void follow(boolean isToLearn) {
        if (learns && !isToLearn) {
            names = List.of();
            routes.clear();
            matter = false;
        }
        learns = isToLearn;
    }

    /** Any thread may ask. {@return whether it matters which route a call takes} */
    boolean matter() {
        return matter;
    }

    /** {@return a route with the quotas that count its calls; the same object as the last time, if it is the same} */
    FoundRoute found(@Nullable String name) {
        FoundRoute found = last;
        Scope scope = scopeOf(name);
        if (found == null
                || !Objects.equals(found.name(), name)
                || !found.scope().equals(scope)) {
            found = new FoundRoute(name, scope);
            last = found;
        }
        return found;
    }

    /**
     * {@return which quotas may count the calls of a route without answers; it waits for none that is used up for long}
     */
    Scope scopeOfNewRoutes() {
        return scopeOf("");
    }

    /** {@return which quotas count the calls of a route; null for a call whose route is not known} */
    private Scope scopeOf(@Nullable String route) {
        if (!matter || route == null) {
            return Scope.ALL;
        }
        Route known = routes.get(cut(route));
        long quotas = (known == null ? EACH : known.quotas()) & all();
        boolean isGuess = known == null || !known.isKnown;
        return quotas == all() && !isGuess
                ? Scope.ALL
                : new Known(quotas, isGuess, known == null ? 0 : known.told(), names);
    }

    private long all() {
        return (1L << names.size()) - 1;
    }

    /** {@return what tells calls apart that are counted by other quotas} */
    long line(Scope scope) {
        if (scope instanceof Known known) {
            return known.isGuess ? known.told | GUESSED : known.quotas;
        }
        return all();
    }

    private long quotas(Scope scope) {
        return scope instanceof Known known ? known.quotas : all();
    }

    /** {@return whether some quota with a name counts the calls of both} */
    boolean haveOneInCommon(Scope one, Scope other) {
        return (quotas(one) & quotas(other)) != 0;
    }

    /** {@return the scope of what is counted by the quotas of both} */
    Scope both(Scope one, Scope other) {
        long quotas = quotas(one) & quotas(other);
        Known guess = other instanceof Known known && known.isGuess ? known : null;
        if (quotas == all() && guess == null) {
            return one;
        }
        return new Known(quotas, guess != null, guess == null ? 0 : guess.told, names);
    }

    /** Learns from an answer; {@return whether other quotas may count some calls than before} */
    News learn(@Nullable String route, Signal signal) {
        Outcome outcome = signal.outcome();
        boolean isAnswer = outcome == Outcome.SUCCESS || outcome == Outcome.RATE_LIMITED || outcome == Outcome.DENIED;
        if (!learns || !isAnswer) {
            return News.NOTHING;
        }
        boolean isNews = false;
        List<Quota> quotas = signal.hints().quotas();
        for (int i = 0; i < quotas.size(); i++) { // no iterator: asked with every response
            String name = quotas.get(i).policy();
            if (name != null && !names.contains(name)) {
                add(name);
                isNews = true;
            }
        }
        long told = told(quotas);
        if (route == null || told == 0) {
            return isNews ? News.NAMES : News.NOTHING;
        }
        Route known = routes.computeIfAbsent(cut(route), name -> new Route());
        long before = known.told();
        boolean wasKnown = known.isKnown;
        known.answered(told, outcome != Outcome.SUCCESS);
        if (routes.size() > MOST_ROUTES) {
            routes.remove(routes.keySet().iterator().next());
        }
        boolean isSame = wasKnown == known.isKnown && before == known.told();
        return isNews ? News.NAMES : isSame ? News.NOTHING : News.ROUTE;
    }

    /** {@return the quotas that an answer names, once all names have their places} */
    private long told(List<Quota> quotas) {
        long told = 0;
        for (int i = 0; i < quotas.size(); i++) {
            String name = quotas.get(i).policy();
            int place = name == null ? -1 : names.indexOf(name);
            told |= place < 0 ? 0 : 1L << place;
        }
        return told;
    }

    private void add(String name) {
        List<String> more = new ArrayList<>(names);
        if (more.size() == MOST_NAMES) {
            more.clear();
            routes.clear(); // a server that makes up names: begin again
        }
        more.add(name);
        names = List.copyOf(more);
        matter = true;
    }

    /** {@return how many routes are remembered} */
    int size() {
        return routes.size();
    }

    private static String cut(String route) {
        return route.length() <= LONGEST ? route : route.substring(0, LONGEST);
    }
}
