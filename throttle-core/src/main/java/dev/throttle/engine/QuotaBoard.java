package dev.throttle.engine;

import dev.throttle.internal.Nanos;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What the server said last about each of its policies. Written under the engine's lock, read by anyone. */
final class QuotaBoard {

    /** A server that invents policy names must not fill the memory, or the metrics. */
    private static final int MOST_POLICIES = 16;

    private volatile Page page = new Page(List.of(), 0, List.of());

    /** Most servers tell all their policies with every answer: such an answer costs a page and nothing else. */
    void put(List<Quota> quotas, long now) {
        if (!quotas.isEmpty()) {
            List<Quota> latest =
                    quotas.size() <= MOST_POLICIES ? quotas : List.copyOf(quotas.subList(0, MOST_POLICIES));
            Page before = page;
            page = new Page(latest, now, before.tellsOf(latest) ? before.others : before.othersThan(latest));
        }
    }

    /** {@return whether something was told of a quota after an instant} */
    boolean knowsSince(Quota quota, long instant) {
        Page current = page;
        for (Quota latest : current.latest) {
            if (latest.isSameAs(quota)) {
                return current.since - instant > 0;
            }
        }
        for (Seen seen : current.others) {
            if (seen.quota.isSameAs(quota)) {
                return seen.since - instant > 0;
            }
        }
        return false;
    }

    /** {@return those that are used up now, and were not when they were last told, or are renewed since} */
    List<Quota> newlyExhausted(List<Quota> quotas, long now) {
        List<Quota> exhausted = List.of();
        for (int i = 0; i < quotas.size(); i++) {
            Quota quota = quotas.get(i);
            if (quota.isExhausted() && !wasExhausted(quota, now)) {
                exhausted = exhausted.isEmpty() ? new ArrayList<>() : exhausted;
                exhausted.add(quota);
            }
        }
        return exhausted;
    }

    private boolean wasExhausted(Quota quota, long now) {
        for (Quota before : read(now)) {
            if (before.isSameAs(quota)) {
                return before.isExhausted() && !Duration.ZERO.equals(before.reset());
            }
        }
        return false;
    }

    /** {@return the quotas with their resets counted from now} */
    List<Quota> read(long now) {
        Page current = page;
        List<Quota> quotas = new ArrayList<>();
        for (Quota quota : current.latest) {
            quotas.add(Seen.at(now, quota, current.since));
        }
        for (Seen seen : current.others) {
            quotas.add(Seen.at(now, seen.quota, seen.since));
        }
        return List.copyOf(quotas);
    }

    /**
     * All that is known.
     *
     * @param latest what the last answer told
     * @param since when that was
     * @param others what earlier ones told about policies that the last one left out
     */
    private record Page(List<Quota> latest, long since, List<Seen> others) {

        /** {@return whether the last answer told about the same policies in the same order} */
        boolean tellsOf(List<Quota> quotas) {
            if (quotas.size() != latest.size()) {
                return false;
            }
            for (int i = 0; i < quotas.size(); i++) {
                if (!quotas.get(i).isSameAs(latest.get(i))) {
                    return false;
                }
            }
            return true;
        }

        List<Seen> othersThan(List<Quota> quotas) {
            List<Seen> left = new ArrayList<>();
            for (Quota quota : latest) {
                left.add(new Seen(quota, since));
            }
            left.addAll(others);
            left.removeIf(seen -> contains(quotas, seen.quota));
            return List.copyOf(left.subList(0, Math.min(left.size(), MOST_POLICIES - quotas.size())));
        }

        private static boolean contains(List<Quota> quotas, Quota old) {
            for (Quota quota : quotas) {
                if (quota.isSameAs(old)) {
                    return true;
                }
            }
            return false;
        }
    }

    private record Seen(Quota quota, long since) {

        static Quota at(long now, Quota quota, long since) {
            Duration reset = quota.reset();
            if (reset == null) {
                return quota;
            }
            Duration left = Duration.ofNanos(Math.max(0, Nanos.of(reset) - (now - since)));
            return quota.withReset(left);
        }
    }
}
