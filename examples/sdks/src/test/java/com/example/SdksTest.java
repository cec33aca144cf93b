package com.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.throttle.ThrottleRegistry;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Each program, on a server that refuses its first request: it is repeated, and settled by its answer. */
class SdksTest {

    private final List<Cost> settled = new CopyOnWriteArrayList<>();
    private final ThrottleRegistry throttles =
            ThrottleRegistry.builder().limit(new Noting()).build();

    @Test
    void openAisSdk() throws Exception {
        assertEquals("Fine.", LlmServer.onOwnServer(api -> OpenAiExample.ask(api, throttles)));
        assertPaced("tokens");
    }

    @Test
    void anthropicsSdk() throws Exception {
        assertEquals("Fine.", LlmServer.onOwnServer(api -> AnthropicExample.ask(api, throttles)));
        assertPaced("output-tokens");
    }

    @Test
    void bothRunAsTheyAre() throws Exception {
        OpenAiExample.main(new String[0]);
        AnthropicExample.main(new String[0]);
    }

    private void assertPaced(String unit) {
        var throttle = throttles.all().iterator().next();
        assertEquals(1, throttle.count(Outcome.RATE_LIMITED));
        assertEquals(1, throttle.count(Outcome.SUCCESS));
        assertEquals(
                List.of(unit),
                throttle.snapshot().quotas().stream().map(Quota::unit).toList());
        Cost cost = Cost.of(Quota.INPUT_TOKENS, 19).and(Quota.OUTPUT_TOKENS, 10).and(Quota.TOKENS, 29);
        assertEquals(List.of(cost), settled);
    }

    /** Lets everybody go, and writes down what calls have cost. */
    private final class Noting implements Strategy {

        @Override
        public String name() {
            return "noting";
        }

        @Override
        public RateController newController(RandomGenerator random) {
            return new RateController() {

                @Override
                public boolean isIdle() {
                    return true;
                }

                @Override
                public long dueNanos(Cost ahead, Cost cost, long now) {
                    return now;
                }

                @Override
                public void onAdmitted(Cost cost, long now) {}

                @Override
                public void onSettled(Cost admitted, Cost actual, long admittedAt, long now) {
                    settled.add(actual);
                }

                @Override
                public void onSignal(Signal signal, Load load, long now) {}

                @Override
                public double limitPerSecond() {
                    return Double.POSITIVE_INFINITY;
                }
            };
        }
    }
}
