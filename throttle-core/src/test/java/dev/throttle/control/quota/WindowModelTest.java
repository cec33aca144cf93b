package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An exhaustive model of one client and a window of two requests per three seconds. Each order in which requests are
 * sent, reach the server, and are answered is tried, up to a depth. The client never sends a request that the window
 * cannot grant.
 *
 * <p>What is assumed: no other client uses the quota; requests and answers take a second each at most; each answer
 * tells the count and the time to the reset; time passes in whole seconds; the server counts in windows that begin at
 * fixed times, or with the first request after the end of the last one. Requests and answers may overtake each other.
 */
class WindowModelTest {

    private static final int LIMIT = 2;
    private static final int WINDOW = 3;
    private static final int MOST_ON_WIRE = 3;

    private final Strategy strategy = Strategies.quotaPacing().jitter(0).build();
    private boolean onGrid;
    private long states;
    private int renewals;

    private record Request(int id, int sentAt) {}

    private record Answer(Request request, boolean refused, int remaining, int reset, int sentAt) {}

    /** The client, the server, and what is between them, after some steps. */
    private final class World {

        private final RateController client =
                (RateController) strategy.newController(ControllerHost.detached(new SplittableRandom(1)));
        private final List<Request> requests = new ArrayList<>();
        private final List<Answer> answers = new ArrayList<>();
        private int now;
        private int used;
        private int end;
        private int sent;
        private int windows;
        private boolean refused;

        private int wire() {
            return requests.size() + answers.size();
        }

        private boolean maySend() {
            return wire() < MOST_ON_WIRE && client.dueNanos(Cost.NONE, Cost.ONE, nanos(now)) <= nanos(now);
        }

        private boolean mayPass() {
            return requests.stream().allMatch(request -> request.sentAt == now)
                    && answers.stream().allMatch(answer -> answer.sentAt == now);
        }

        /** {@return how many steps are possible} */
        private int steps() {
            return (maySend() ? 1 : 0) + (mayPass() ? 1 : 0) + wire();
        }

        private void step(int chosen) {
            int step = chosen;
            if (maySend() && step-- == 0) {
                client.onAdmitted(Cost.ONE, ++sent, nanos(now));
                requests.add(new Request(sent, now));
            } else if (mayPass() && step-- == 0) {
                now++;
            } else if (step < requests.size()) {
                serve(requests.remove(step));
            } else {
                read(answers.remove(step - requests.size()));
            }
        }

        private void serve(Request request) {
            if (now >= end) {
                used = 0;
                end = onGrid ? now - now % WINDOW + WINDOW : now + WINDOW;
                windows++;
            }
            boolean isOver = used == LIMIT;
            used += isOver ? 0 : 1;
            refused |= isOver;
            answers.add(new Answer(request, isOver, LIMIT - used, end - now, now));
        }

        private void read(Answer answer) {
            Quota quota = new Quota("a", (long) LIMIT, (long) answer.remaining, Duration.ofSeconds(answer.reset), null);
            client.onSignal(
                    new Signal(
                            answer.refused ? Outcome.RATE_LIMITED : Outcome.SUCCESS,
                            new RateHints(null, List.of(quota))),
                    Moment.withPermit(
                            answer.request.id,
                            Moment.sentAt(answer.request.sentAt)
                                    .inFlight(wire())
                                    .waiting(1)
                                    .admitted(sent)),
                    nanos(now));
        }
    }

    private void explore(List<Integer> path, int depth) {
        World world = new World();
        for (int step : path) {
            world.step(step);
        }
        states++;
        renewals = Math.max(renewals, world.windows);
        assertThat(world.refused).as("steps %s", path).isFalse();
        if (path.size() == depth) {
            return;
        }
        int steps = world.steps();
        for (int step = 0; step < steps; step++) {
            path.add(step);
            explore(path, depth);
            path.remove(path.size() - 1);
        }
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void nothingIsSentThatTheWindowCannotGrant(boolean grid) {
        onGrid = grid;
        explore(new ArrayList<>(), 22);
        assertThat(states).isGreaterThan(20_000);
        assertThat(renewals).isGreaterThan(1);
    }
}
