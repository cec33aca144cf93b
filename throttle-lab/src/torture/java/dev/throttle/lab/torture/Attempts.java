package dev.throttle.lab.torture;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The calls under way as the servers see them: which request of which call each one is. */
final class Attempts {

    private static final Pattern PATH = Pattern.compile("/k([0-9]+)/n([0-9]+)");

    private final long seed;
    private final Map<Long, AtomicInteger> running = new ConcurrentHashMap<>();
    private final LongAdder refusals = new LongAdder();

    Attempts(long seed) {
        this.seed = seed;
    }

    void begin(long number) {
        running.put(number, new AtomicInteger());
    }

    /** {@return how many requests of the call have come} */
    int end(long number) {
        AtomicInteger seen = running.remove(number);
        return seen == null ? 0 : seen.get();
    }

    /** {@return how many refusals the servers have sent} */
    long refusals() {
        return refusals.sum();
    }

    /** What a request gets; one of a call that has ended gets a plain answer. */
    Planned answer(String path, Wire wire) {
        Matcher matcher = PATH.matcher(path);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("path must be of a call, but was " + path);
        }
        long number = Long.parseLong(matcher.group(2));
        AtomicInteger seen = running.get(number);
        int attempt = seen == null ? 0 : seen.getAndIncrement();
        AnswerPlan plan = AnswerPlan.of(seed, number, attempt, wire);
        if (plan.isRefusal()) {
            refusals.increment();
        }
        return new Planned(number, attempt, plan);
    }

    /** What a request gets, and whose it is. */
    record Planned(long number, int attempt, AnswerPlan plan) {

        byte[] body() {
            return plan.body(number, attempt);
        }

        /** {@return where it redirects to: the same server under its other name} */
        String location(Wire wire, String host, int port) {
            String other = host.startsWith("localhost") ? "127.0.0.1" : "localhost";
            return wire.scheme() + "://" + other + ":" + port + "/k" + plan.location() + "/n" + number;
        }
    }
}
