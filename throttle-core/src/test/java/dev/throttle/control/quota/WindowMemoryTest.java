package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static dev.throttle.control.quota.Moment.sentAt;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A program may have many keys, and most servers tell windows. So the state of a window is small. */
class WindowMemoryTest {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int ANSWERS = 40;

    /** {@return the bytes that a controller allocates in total while it reads a window of an hour} */
    private static long bytes(Strategy strategy) {
        List<Signal> signals = new ArrayList<>();
        for (int i = 0; i < ANSWERS; i++) {
            Quota quota = new Quota("core", 5000L, 4999L - i, Duration.ofSeconds(1800 - i), null);
            signals.add(new Signal(Outcome.SUCCESS, new RateHints(null, List.of(quota))));
        }
        long before = THREADS.getCurrentThreadAllocatedBytes();
        RateController controller =
                (RateController) strategy.newController(ControllerHost.detached(new SplittableRandom(1)));
        for (int i = 0; i < ANSWERS; i++) {
            controller.onAdmitted(Cost.ONE, nanos(i), nanos(i));
            controller.onSignal(signals.get(i), sentAt(i), nanos(i));
        }
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    @Test
    void aWindowKeepsNoHistoryOfItsRequests() {
        Strategy strategy = Strategies.quotaPacing().build();
        bytes(strategy); // loads classes
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            least = Math.min(least, bytes(strategy));
        }
        assertThat(least).isLessThan(8_000);
    }
}
