package dev.throttle.lab.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.lease.fleet.Step;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tries all that two processes and a store can do with a sliding window in a number of steps, as the proof of buckets
 * does: lease one permit or more and use them as early or as late as allowed, keep them and give them back, or never;
 * let time pass; start the store empty; set its clock back. No interval of the window's length has more than the bound.
 *
 * <p>What it does not try is what the proof of buckets does not.
 */
@Tag("slow")
class WindowScriptsProofTest {

    private static final long WINDOW = 10_000_000;
    private static final long SLACK = 200_000;
    private static final long AHEAD = 30_000_000;
    private static final long STEP_BACK = 7_000_000;
    private static final long EPOCH = 1_700_000_000_000_000L;
    private static final int PROCESSES = 2;
    private static final String[] KEYS = {"w", "s", "o", "t"};

    private ModelledStore store = ModelledStore.redis();
    private long limit;
    /** How long permits of each process are good. */
    private long[] valid = {};

    private boolean isCountedLater;
    private long bound;
    private boolean mayLose;
    private long tried;
    private long most;

    /** Permits that a process keeps; {@code back} is how far the store was put back when it got them. */
    private record Held(long countedAt, long count, long back) {}

    /** When a process saw the window last, by a clock that nobody sets, and what time the store said then. */
    private record Seen(long at, long told) {}

    /** Where all stand; {@code at} is the time that passes, which nobody sets. */
    private record Position(long at, long back, boolean isLost, List<Held> held, List<Seen> seen, List<Long> used) {

        Position after(long micros) {
            return new Position(at + micros, back, isLost, held, seen, used);
        }

        Position putBack() {
            return new Position(at, STEP_BACK, isLost, held, seen, used);
        }

        Position lost() {
            return new Position(at, back, true, held, seen, used);
        }
    }

    private enum Use {
        EARLY,
        LATE,
        LATER
    }

    private static <T> List<T> with(List<T> list, int index, T value) {
        List<T> copy = new ArrayList<>(list);
        copy.set(index, value);
        return copy;
    }

    private static long number(Object field) {
        return (long) Double.parseDouble(String.valueOf(field));
    }

    private Position leased(Position from, int process, long wanted, Use use) {
        Seen seen = from.seen.get(process);
        long now = EPOCH + from.at - from.back;
        boolean isKnown = seen != null && from.at - seen.at < WINDOW;
        store.setTime(now);
        String[] args = {
            "process" + process,
            String.valueOf(WINDOW / limit),
            String.valueOf(valid[process]),
            "100000",
            "1",
            String.valueOf(wanted),
            "3600000",
            "0",
            "0",
            "",
            String.valueOf(seen == null ? 0 : seen.told + from.at - seen.at),
            String.valueOf(limit),
            String.valueOf(WINDOW),
            isKnown ? "1" : "0",
            String.valueOf(AHEAD),
            "",
            String.valueOf(SLACK),
            String.valueOf(isCountedLater ? valid[process] - SLACK : 0)
        };
        List<Object> answer = store.run(Step.TAKE_FROM_WINDOW, KEYS, args);
        long count = number(answer.get(0));
        if (count == 0) {
            return from;
        }
        long due = now + number(answer.get(1));
        List<Seen> nowSeen = with(from.seen, process, new Seen(from.at, now));
        if (use == Use.LATER) {
            Held held = new Held(number(answer.get(5)), count, from.back);
            return new Position(from.at, from.back, from.isLost, with(from.held, process, held), nowSeen, from.used);
        }
        List<Long> used = new ArrayList<>(from.used);
        for (long i = 0; i < count; i++) {
            used.add(due + (use == Use.LATE ? number(answer.get(3)) - 1 : 0) + from.back);
        }
        Collections.sort(used);
        return new Position(from.at, from.back, from.isLost, from.held, nowSeen, used);
    }

    private Position givenBack(Position from, int process) {
        Held held = from.held.get(process);
        store.setTime(EPOCH + from.at - from.back);
        store.run(Step.GIVE_TO_WINDOW, new String[] {"w"}, new String[] {
            String.valueOf(held.countedAt), String.valueOf(held.count), String.valueOf(WINDOW)
        });
        return new Position(from.at, from.back, from.isLost, with(from.held, process, null), from.seen, from.used);
    }

    private static long mostInAWindow(List<Long> used) {
        int from = 0;
        int most = 0;
        for (int to = 0; to < used.size(); to++) {
            while (used.get(to) - used.get(from) >= WINDOW) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }

    private void go(Position to, int steps, String path) {
        tried++;
        most = Math.max(most, mostInAWindow(to.used));
        if (mostInAWindow(to.used) > bound) {
            assertThat(mostInAWindow(to.used)).as(path + " " + to.used).isLessThanOrEqualTo(bound);
        }
        if (steps > 0) {
            from(to, steps - 1, path);
        }
    }

    private void from(Position here, int steps, String path) {
        Runnable before = store.saved();
        for (int process = 0; process < PROCESSES; process++) {
            for (long wanted = 1; wanted <= 2; wanted++) {
                for (Use use : Use.values()) {
                    if (use != Use.LATER || here.held.get(process) == null) {
                        go(leased(here, process, wanted, use), steps, path + " " + process + use + wanted);
                        before.run();
                    }
                }
            }
            if (here.held.get(process) != null) {
                go(givenBack(here, process), steps, path + " " + process + "BACK");
                before.run();
            }
        }
        for (long time : new long[] {WINDOW / 3, WINDOW + SLACK}) {
            go(here.after(time), steps, path + " +" + time);
            before.run();
        }
        if (mayLose && !here.isLost && !here.seen.contains(null)) {
            store.lose();
            go(here.lost(), steps, path + " EMPTY");
            before.run();
        }
        if (here.back == 0) {
            go(here.putBack(), steps, path + " STEP_BACK");
            before.run();
        }
    }

    /**
     * Where nothing is lost, the window is kept whatever the order. A store that has lost it may grant it twice. Where
     * permits are good for longer than they count, because the store is far away, late ones may exceed it by a lease;
     * not where they are counted later for that, also beside a process that is near.
     */
    @ParameterizedTest
    @CsvSource({
        "redis, 2, 200000, 200000, false, false, 2",
        "file, 1, 200000, 200000, false, false, 1",
        "file, 2, 200000, 200000, false, false, 2",
        "file, 3, 200000, 200000, false, false, 3",
        "file, 2, 200000, 200000, false, true, 4",
        "file, 3, 200000, 200000, false, true, 6",
        "file, 2, 2000000, 2000000, false, false, 4",
        "file, 2, 1200000, 1200000, true, false, 2",
        "redis, 2, 1200000, 200000, true, false, 2",
        "file, 2, 1200000, 200000, true, false, 2",
        "file, 3, 1200000, 200000, true, false, 3"
    })
    void theBoundHoldsInAnyOrder(
            String where,
            long permits,
            long validMicros,
            long othersMicros,
            boolean countsLater,
            boolean loses,
            long allowed) {
        store = ModelledStore.of(where);
        limit = permits;
        valid = new long[] {validMicros, othersMicros};
        isCountedLater = countsLater;
        mayLose = loses;
        bound = allowed;
        from(
                new Position(
                        0,
                        0,
                        false,
                        new ArrayList<>(Collections.nCopies(PROCESSES, null)),
                        new ArrayList<>(Collections.nCopies(PROCESSES, null)),
                        List.of()),
                Integer.getInteger("proof.steps", 3),
                String.format(Locale.ROOT, "limit %d, valid %d:", limit, validMicros));
        System.out.println(where + " limit " + limit + ": " + tried + " positions, most in a window " + most);
        assertThat(tried).isGreaterThan(10_000);
    }
}
