package dev.throttle.engine;

import dev.throttle.control.Scope;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Learns which named quotas of the server count which routes: those that the last answers of a route have named. A
 * route without an answer may be counted by all of them. Guarded by the engine's lock, unless a method says otherwise.
 */
final class Routes {

    /** Programs whose routes are told apart by ids must not fill the memory: those unused for longest are forgotten. */
    static final int MOST_ROUTES = 64;

    /** As many as fit into the bits of a number. */
    private static final int MOST_NAMES = 62;

    private static final int LONGEST = 256;
    /** A quota that so many answers of a route have not named, or twice as many, no longer counts the route. */
    private static final int GENERATION = 16;

    private static final long EACH = -1;

    /** The names of quotas, each in the place of its bit. Never changed, but replaced. */
    private List<String> names = List.of();

    private final Map<String, Route> routes = new LinkedHashMap<>(0, 0.75f, true);
    /** Whether the server has named a quota. */
    private volatile boolean matter;

    private boolean learns;

    /** What is known of one route. */
    private static final class Route {

        /** The quotas that its answers have named in this generation of answers and in the one before. */
        private long current;

        private long previous;
        private int answers;

        private long quotas() {
            return answers == 0 ? EACH : current | previous;
        }

        private void answered(long quotas) {
            if (++answers > GENERATION) {
                previous = current;
                current = 0;
                answers = 1;
            }
            current |= quotas;
        }
    }

    /**
     * The quotas that count a call.
     *
     * @param quotas a bit for each name
     * @param isGuess whether its route has no answer yet, so that they may be fewer
     * @param names those that were known when this was made; a later one may count it too
     */
    record Known(long quotas, boolean isGuess, List<String> names) implements Scope {

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

    /** {@return which quotas count the calls of a route; null for a call whose route is not known} */
    Scope scopeOf(@Nullable String route) {
        if (!matter || route == null) {
            return Scope.ALL;
        }
        Route known = routes.get(cut(route));
        long quotas = (known == null ? EACH : known.quotas()) & all();
        boolean isGuess = known == null || known.answers == 0;
        return quotas == all() && !isGuess ? Scope.ALL : new Known(quotas, isGuess, names);
    }

    private long all() {
        return (1L << names.size()) - 1;
    }

    /** {@return what tells calls apart that are counted by other quotas} */
    long line(Scope scope) {
        return scope instanceof Known known ? known.quotas : all();
    }

    /** {@return the scope of what is counted by the quotas of both} */
    Scope both(Scope one, Scope other) {
        long quotas = line(one) & line(other);
        return quotas == all() ? one : new Known(quotas, false, names);
    }

    /** {@return whether the calls of some route may be counted by other quotas than before} */
    boolean learn(@Nullable String route, Signal signal) {
        Outcome outcome = signal.outcome();
        boolean isAnswer = outcome == Outcome.SUCCESS || outcome == Outcome.RATE_LIMITED || outcome == Outcome.DENIED;
        if (!learns || !isAnswer) {
            return false;
        }
        boolean isNews = false;
        long told = 0;
        for (Quota quota : signal.hints().quotas()) {
            String name = quota.policy();
            if (name != null) {
                int place = names.indexOf(name);
                if (place < 0) {
                    place = add(name);
                    isNews = true;
                }
                told |= 1L << place;
            }
        }
        boolean isSilentRefusal = outcome != Outcome.SUCCESS && told == 0;
        if (route == null || !matter || isSilentRefusal) {
            return isNews;
        }
        Route known = routes.computeIfAbsent(cut(route), name -> new Route());
        long before = known.quotas();
        known.answered(told);
        if (routes.size() > MOST_ROUTES) {
            routes.remove(routes.keySet().iterator().next());
        }
        return isNews || (before & all()) != (known.quotas() & all());
    }

    /** {@return the place of a new name} */
    private int add(String name) {
        List<String> more = new ArrayList<>(names);
        if (more.size() == MOST_NAMES) {
            more.clear();
            routes.clear(); // a server that makes up names: begin again
        }
        more.add(name);
        names = List.copyOf(more);
        matter = true;
        return more.size() - 1;
    }

    /** {@return how many routes are remembered} */
    int size() {
        return routes.size();
    }

    private static String cut(String route) {
        return route.length() <= LONGEST ? route : route.substring(0, LONGEST);
    }
}
