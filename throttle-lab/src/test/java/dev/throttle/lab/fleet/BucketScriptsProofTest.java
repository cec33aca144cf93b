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
 * Tries all that two processes and a store can do in a number of steps, with the very scripts that Redis runs, and with
 * what a file does in their place: lease one permit or more and use them as early or as late as allowed, keep them and
 * give them back in time or too late, or never; let time pass; start the store empty; set its clock back. In no order
 * is more used than the bound allows.
 *
 * <p>What it does not try: more than two processes, more steps than one more than {@code proof.steps}, costs, permits
 * that a process gives itself while the store is away, a clock that is set forward, what a process does wrong with its
 * own clock, and a process that never saw the limit and is the first to ask a store that has lost it: for that one it
 * is a new limit.
 */
@Tag("slow")
class BucketScriptsProofTest {

    private static final long INTERVAL = 1_000_000;
    private static final long AHEAD = 30 * INTERVAL;
    private static final long TURN = INTERVAL / 10;
    private static final long LIFETIME_MILLIS = 3_600_000;
    private static final long STEP_BACK = 7 * INTERVAL;
    private static final long EPOCH = 1_700_000_000_000_000L;
    private static final int PROCESSES = 2;

    private static final String[] KEYS = {"b", "s", "o", "t", "r"};

    private ModelledStore store = ModelledStore.redis();

    private long valid;
    private long tolerance;
    private long interval;
    private double bound;
    private long tried;

    /** Permits that a process keeps; times are the store's, and how far it was put back then. */
    private record Held(long due, long gap, long count, String gross, long back) {}

    /** What a process remembers of the last answer. */
    private record Seen(String state, long told, long at, long sharers) {}

    /** Where all stand; {@code at} is the time that passes, which nobody sets. */
    private record Position(long at, long back, boolean isLost, List<Held> held, List<Seen> seen, List<Long> used) {}

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
        store.setTime(now);
        String[] args = {
            "process" + process,
            String.valueOf(interval),
            String.valueOf(valid),
            String.valueOf(TURN),
            "1",
            String.valueOf(wanted),
            String.valueOf(LIFETIME_MILLIS),
            "0",
            "0",
            "",
            String.valueOf(seen == null ? 0 : seen.told + from.at - seen.at),
            String.valueOf(tolerance),
            seen == null ? "0" : seen.state,
            String.valueOf(AHEAD),
            String.valueOf(seen == null ? 0 : seen.told),
            String.valueOf(seen == null ? 0 : seen.sharers)
        };
        List<Object> answer = store.run(Step.TAKE_FROM_BUCKET, KEYS, args);
        long count = number(answer.get(0));
        if (count == 0) {
            return from;
        }
        long due = now + number(answer.get(1));
        long gap = number(answer.get(2));
        long good = number(answer.get(3));
        String state = String.valueOf(answer.get(5));
        long sharers = Math.max(number(answer.get(4)), seen == null ? 0 : seen.sharers);
        List<Seen> nowSeen = with(from.seen, process, new Seen(state, now, from.at, sharers));
        if (use == Use.LATER) {
            Held held = new Held(due, gap, count, state.split("\\|")[2], from.back);
            return new Position(from.at, from.back, from.isLost, with(from.held, process, held), nowSeen, from.used);
        }
        List<Long> used = new ArrayList<>(from.used);
        for (long i = 0; i < count; i++) {
            used.add(due + i * gap + (use == Use.LATE ? good : 0) + from.back);
        }
        Collections.sort(used);
        return new Position(from.at, from.back, from.isLost, from.held, nowSeen, used);
    }

    private Position givenBack(Position from, int process) {
        Held held = from.held.get(process);
        store.setTime(EPOCH + from.at - from.back);
        store.run(Step.GIVE_TO_BUCKET, new String[] {"b", "r"}, new String[] {
            String.valueOf(held.due),
            String.valueOf(held.gap),
            String.valueOf(held.count),
            held.gross,
            String.valueOf(valid),
            String.valueOf(interval),
            String.valueOf(LIFETIME_MILLIS)
        });
        return new Position(from.at, from.back, from.isLost, with(from.held, process, null), from.seen, from.used);
    }

    /** {@return the most that was used in any time beyond the rate} */
    private static double most(List<Long> used) {
        double least = Double.POSITIVE_INFINITY;
        double most = 0;
        for (int i = 0; i < used.size(); i++) {
            double level = i - (used.get(i) - used.get(0)) / (double) INTERVAL;
            least = Math.min(least, level);
            most = Math.max(most, level - least + 1);
        }
        return most;
    }

    private void go(Position to, int steps, String path) {
        tried++;
        if (most(to.used) > bound + 1e-3) {
            assertThat(most(to.used)).as(path + " " + to.used).isLessThanOrEqualTo(bound);
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
        for (long time : new long[] {interval / 2, 2 * interval}) {
            go(
                    new Position(here.at + time, here.back, here.isLost, here.held, here.seen, here.used),
                    steps,
                    path + " +" + time);
            before.run();
        }
        if (!here.isLost && !here.seen.contains(null)) {
            store.lose();
            go(new Position(here.at, here.back, true, here.held, here.seen, here.used), steps, path + " EMPTY");
            before.run();
        }
        if (here.back == 0) {
            go(
                    new Position(here.at, STEP_BACK, here.isLost, here.held, here.seen, here.used),
                    steps,
                    path + " STEP_BACK");
            before.run();
        }
    }

    /** A permit that is used late, and one of a process that the store has forgotten, may come too near. */
    @ParameterizedTest
    @CsvSource({
        "redis, 1, 20000",
        "redis, 1, 200000",
        "redis, 3, 20000",
        "redis, 3, 200000",
        "file, 1, 20000",
        "file, 1, 200000",
        "file, 3, 20000",
        "file, 3, 200000"
    })
    void theBoundHoldsInAnyOrder(String where, int burst, long validMicros) {
        store = ModelledStore.of(where);
        valid = validMicros;
        interval = burst == 1 ? INTERVAL + valid : INTERVAL;
        tolerance = Math.max(0, (burst - 1) * interval - valid);
        bound = burst + 1;
        List<Seen> nothingSeen = new ArrayList<>(Collections.nCopies(PROCESSES, null));
        List<Held> nothingHeld = new ArrayList<>(Collections.nCopies(PROCESSES, null));
        from(
                new Position(0, 0, false, nothingHeld, nothingSeen, List.of()),
                Integer.getInteger("proof.steps", 3),
                String.format(Locale.ROOT, "burst %d, valid %d:", burst, valid));
        System.out.println(tried + " positions");
        assertThat(tried).isGreaterThan(10_000);
    }
}
