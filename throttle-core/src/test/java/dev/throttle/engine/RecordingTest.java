package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is kept of the calls of a day, and in how much memory. */
class RecordingTest {

    private static final long SECOND = 1_000_000_000L;
    private static final Signal REFUSED = new Signal(
            Outcome.RATE_LIMITED,
            new RateHints(Duration.ofSeconds(7), List.of(new Quota("core", 100L, 0L, Duration.ofSeconds(7), null))));

    private final RecordingSpace space = new RecordingSpace();
    private final Recording recording = new Recording(space, 0);

    private void add(Signal signal, long at) {
        recording.add(CallOptions.DEFAULT, Cost.ONE, signal, 0, at, at + SECOND / 10);
    }

    private static Signal granted(long remaining, long resetSeconds) {
        Quota quota = new Quota("core", 100L, remaining, Duration.ofSeconds(resetSeconds), null);
        return new Signal(Outcome.SUCCESS, new RateHints(null, List.of(quota)));
    }

    private long kept() {
        return recording.read().spans().stream().mapToLong(List::size).sum();
    }

    @Test
    void aCallIsReadAsItWasRecorded() {
        Cost cost = Cost.of(Quota.TOKENS, 500);
        CallOptions options = CallOptions.DEFAULT.cost(cost);
        recording.add(options, cost, REFUSED, 42, 3 * SECOND, 4 * SECOND);
        add(granted(99, 60), 5 * SECOND);
        List<RecordedCall> calls = recording.read().spans().get(0);
        assertThat(calls.get(0))
                .isEqualTo(new RecordedCall(
                        3 * SECOND,
                        SECOND,
                        options,
                        cost,
                        Outcome.RATE_LIMITED,
                        Duration.ofSeconds(7),
                        REFUSED.hints().quotas(),
                        42));
        assertThat(calls.get(1).quotas()).isEqualTo(granted(99, 60).hints().quotas());
        assertThat(recording.read().calls()).isEqualTo(2);
        assertThat(recording.read().refusals()).isEqualTo(1);
    }

    @Test
    void callsAreInTheOrderInWhichTheyWereSent() {
        recording.add(CallOptions.DEFAULT, Cost.ONE, Signal.SUCCESS, 0, 2 * SECOND, 3 * SECOND);
        recording.add(CallOptions.DEFAULT, Cost.ONE, Signal.SUCCESS, 0, SECOND, 4 * SECOND);
        assertThat(recording.read().spans().get(0)).extracting(RecordedCall::at).containsExactly(SECOND, 2 * SECOND);
    }

    @Test
    void whatACallTrulyTookTakesThePlaceOfWhatWasEstimated() {
        recording.add(CallOptions.DEFAULT, Cost.of(Quota.TOKENS, 10), Signal.SUCCESS, 0, SECOND, 2 * SECOND);
        recording.settled(SECOND, Cost.of(Quota.TOKENS, 700));
        recording.settled(3 * SECOND, Cost.of(Quota.TOKENS, 1));
        assertThat(recording.read().spans().get(0).get(0).cost().amount(Quota.TOKENS))
                .isEqualTo(700);
    }

    @Test
    void pagesWithRefusalsAreKeptAndThoseBeforeThem() {
        long at = 0;
        for (int i = 0; i < 10 * RecordingPage.CALLS; i++) {
            add(granted(50, 60), at += SECOND);
        }
        long firstRefusal = at;
        add(REFUSED, at += SECOND);
        for (int i = 0; i < 200 * RecordingPage.CALLS; i++) {
            add(granted(50, 60), at += SECOND);
        }
        Recording.Content content = recording.read();
        assertThat(content.calls()).isEqualTo(210L * RecordingPage.CALLS + 1);
        assertThat(kept()).isBetween(95L * RecordingPage.CALLS, 96L * RecordingPage.CALLS);
        assertThat(content.spans()).hasSize(2);
        assertThat(content.spans().get(0)).filteredOn(RecordedCall::isRefused).hasSize(1);
        assertThat(content.spans().get(0).get(0).at()).isLessThan(firstRefusal);
    }

    @Test
    void theOldestGoWhereAllAreRefused() {
        long at = 0;
        for (int i = 0; i < 120 * RecordingPage.CALLS; i++) {
            add(REFUSED, at += SECOND);
        }
        assertThat(recording.read().spans()).hasSize(1);
        assertThat(recording.read().spans().get(0).get(0).at()).isEqualTo((24L * RecordingPage.CALLS + 1) * SECOND);
    }

    @Test
    void aDayOfABusyKeyFitsInTwoMegabytes() {
        int count = 40;
        Recording[] many = new Recording[count];
        long before = used();
        for (int i = 0; i < count; i++) {
            many[i] = new Recording(space, 0);
            for (int j = 0; j < 50_000; j++) {
                long at = j * SECOND;
                many[i].add(CallOptions.DEFAULT, Cost.ONE, granted(j % 100, 60 - j % 60), j, at, at + SECOND);
            }
        }
        long each = (used() - before) / count;
        assertThat(each).isLessThan(2_300_000);
        assertThat(many[count - 1].read().calls()).isEqualTo(50_000);
    }

    private static long used() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Test
    void allKeysTogetherAreBounded() {
        RecordingSpace small = new RecordingSpace();
        for (int i = 0; i < RecordingSpace.PAGES; i++) {
            assertThat(small.tryTake()).isTrue();
        }
        Recording late = new Recording(small, 0);
        late.add(CallOptions.DEFAULT, Cost.ONE, REFUSED, 0, 0, SECOND);
        assertThat(late.read().spans()).isEmpty();
        assertThat(late.read().refusals()).isEqualTo(1);
        small.giveBack(1);
        for (int i = 0; i < 2 * RecordingPage.CALLS; i++) {
            late.add(CallOptions.DEFAULT, Cost.ONE, REFUSED, 0, i, SECOND);
        }
        assertThat(late.read().spans().get(0)).hasSize(RecordingPage.CALLS);
        late.close();
        assertThat(small.tryTake()).isTrue();
        assertThat(small.tryTake()).isFalse();
    }

    @Test
    void aQuotaThatIsNamedAnewEachTimeDoesNotFillTheMemory() {
        for (int i = 0; i < 1_000; i++) {
            Quota quota = new Quota("name " + i, 100L, 5L, null, null);
            add(new Signal(Outcome.SUCCESS, new RateHints(null, List.of(quota))), i);
        }
        assertThat(recording.read().spans().get(0).stream()
                        .filter(call -> !call.quotas().isEmpty()))
                .hasSize(64);
    }

    @Test
    void theLogIsToldOnceAnHour() {
        assertThat(recording.isToBeTold(3_599 * SECOND)).isFalse();
        assertThat(recording.isToBeTold(3_600 * SECOND)).isTrue();
        assertThat(recording.isToBeTold(3_601 * SECOND)).isFalse();
        assertThat(recording.isToBeTold(7_201 * SECOND)).isTrue();
    }

    @Test
    void requestsAreToldApartForTenMinutesAfterARefusal() {
        assertThat(recording.tellsApart(Signal.SUCCESS, 0)).isFalse();
        assertThat(recording.tellsApart(REFUSED, 0)).isTrue();
        add(REFUSED, SECOND);
        assertThat(recording.tellsApart(Signal.SUCCESS, 500 * SECOND)).isTrue();
        assertThat(recording.tellsApart(Signal.SUCCESS, 700 * SECOND)).isFalse();
    }
}
