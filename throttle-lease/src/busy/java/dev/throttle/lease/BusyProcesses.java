package dev.throttle.lease;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Processes that share a limit and have something to do until they are told to stop, on virtual time. For the tests of
 * core and of the lab.
 */
public final class BusyProcesses {

    private final VirtualTime time;
    private final List<Long> departures = new ArrayList<>();
    private int processes;

    public BusyProcesses(VirtualTime time) {
        this.time = time;
    }

    /** A process, which starts with so many callers. */
    public final class Busy {

        private final Throttle throttle;
        private boolean stopped = true;

        private Busy(LeasedLimit limit) {
            this.throttle = Throttle.builder()
                    .name("busy")
                    .strategy(Strategies.none())
                    .limit(limit)
                    .time(time)
                    .executor(task -> time.schedule(0, task))
                    .maxWait(Duration.ofDays(1))
                    .seed(processes++)
                    .build();
        }

        /** Each caller sends one request after the other. */
        public void go(int callers) {
            stopped = false;
            for (int i = 0; i < callers; i++) {
                next();
            }
        }

        /** Each caller still sends the request that it waits with. */
        public void stop() {
            stopped = true;
        }

        private void next() {
            throttle.acquireAsync().thenAccept(this::send);
        }

        private void send(Permit permit) {
            departures.add(time.nanoTime());
            permit.complete(Signal.SUCCESS);
            if (!stopped) {
                time.schedule(0, this::next);
            }
        }
    }

    /** {@return one more process, which has started} */
    public Busy start(LeasedLimit limit, int callers) {
        Busy busy = new Busy(limit);
        busy.go(callers);
        return busy;
    }

    /** {@return how many requests all have sent} */
    public int sent() {
        return departures.size();
    }

    /** {@return the most that all have sent in any time beyond what a rate allows in it} */
    public double mostBeyond(double perSecond) {
        double least = Double.POSITIVE_INFINITY;
        double most = 0;
        for (int i = 0; i < departures.size(); i++) {
            double level = i - (departures.get(i) - departures.get(0)) * perSecond / 1e9;
            least = Math.min(least, level);
            most = Math.max(most, level - least + 1);
        }
        return most;
    }

    /** {@return the most that all have sent in any interval of this length} */
    public long mostIn(Duration window) {
        int most = 0;
        for (int from = 0, to = 0; to < departures.size(); to++) {
            while (departures.get(to) - departures.get(from) >= window.toNanos()) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }
}
