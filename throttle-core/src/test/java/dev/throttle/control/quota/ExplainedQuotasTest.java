package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the strategy says of quotas of which nobody has told it what they are. */
class ExplainedQuotasTest {

    private final QuotaPacer pacer =
            (QuotaPacer) Strategies.quotaPacing().jitter(0).build().newController(ControllerHost.detached(() -> 0));
    private long answers;

    private void answer(Outcome outcome, double at, Quota... quotas) {
        pacer.onAdmitted(Cost.ONE, nanos(at), nanos(at));
        answers++;
        pacer.onSignal(
                new Signal(outcome, new RateHints(null, List.of(quotas))),
                Moment.sentAt(at).waiting(1).admitted(answers),
                nanos(at));
    }

    private void accept(double at, Quota... quotas) {
        answer(Outcome.SUCCESS, at, quotas);
    }

    private static Quota quota(@Nullable Long limit, long remaining, double reset) {
        return new Quota("core", limit, remaining, reset < 0 ? null : Duration.ofNanos(nanos(reset)), null);
    }

    private String said(double at) {
        return String.join(" ", pacer.explain(nanos(at)));
    }

    @Test
    void beforeTheFirstAnswerThereIsNothingToSay() {
        assertThat(said(0)).isEmpty();
        accept(0);
        assertThat(said(0)).isEmpty();
    }

    @Test
    void aWindow() {
        accept(0, quota(100L, 13, 60));
        assertThat(said(26))
                .isEqualTo(
                        "Quota core is taken for a window: 13 are left, and it ends in 34 s, which was not seen yet.");
        accept(61, quota(100L, 99, 59));
        assertThat(said(62)).isEqualTo("Quota core is taken for a window: 99 are left, and it ends in 58 s.");
        accept(63, quota(100L, 1, 57));
        assertThat(said(63)).isEqualTo("Quota core is taken for a window: 1 is left, and it ends in 57 s.");
        assertThat(said(121))
                .isEqualTo(
                        "Quota core is taken for a window: it has ended, and the next response tells of the new one.");
    }

    /** A bucket of 100 that one request comes back to in each second. */
    @Test
    void aBucket() {
        double level = 100;
        for (int i = 0; i < 300; i++) {
            level = Math.min(100, level + 0.5) - 1;
            accept(0.5 * i, quota(100L, (long) level, -1));
            if (i == 0) {
                assertThat(said(0))
                        .isEqualTo(
                                "Quota core is taken for a bucket: 99 are left, and it is not known yet what comes back.");
            }
            if (level < 30) {
                break;
            }
        }
        assertThat(said(70.5))
                .isEqualTo("Quota core is taken for a bucket: 29 are left, and one comes back each 1075 ms.");
    }

    /** A hundred in ten seconds, of which more and more are used. */
    @Test
    void aSlidingWindow() {
        List<Double> sent = new ArrayList<>();
        for (int i = 1; i <= 100; i++) {
            double at = 20 * Math.sqrt(i / 100.0);
            sent.add(at);
            long used = sent.stream().filter(time -> time > at - 10).count();
            accept(at, quota(100L, 100 - used, -1));
        }
        assertThat(said(20)).isEqualTo("Quota core is taken for a sliding window of 10 s: 75 of 100 are in use.");
    }

    @Test
    void aQuotaThatOthersUse() {
        accept(0, quota(100L, 5, -1));
        assertThat(said(0))
                .isEqualTo("Quota core is shared with others: 5 are left, and one request goes each 2400 ms.");
        accept(1, quota(100L, 90, -1));
        accept(2, quota(100L, 90, -1));
        for (int second = 3; second < 40; second++) {
            accept(second, quota(100L, 90, -1));
        }
        assertThat(said(39)).isEqualTo("Quota core is shared with others: 90 are left, and there is enough for all.");
    }

    @Test
    void refusalsThatNoQuotaExplains() {
        accept(0);
        answer(Outcome.RATE_LIMITED, 1);
        assertThat(said(1)).isEqualTo("No quota explains the last refusal: one request at a time asks again.");
        accept(2);
        assertThat(said(2)).isEmpty();
    }

    @Test
    void anOverloadIsSomethingElse() {
        accept(0);
        answer(Outcome.BUSY, 1);
        assertThat(said(1)).isEqualTo("The server was overloaded: one request at a time asks again.");
        accept(2);
        assertThat(said(2)).isEmpty();
    }

    @Test
    void aLimitThatIsAnnounced() {
        accept(0, new Quota("core", 1L, null, null, Duration.ofSeconds(2)));
        assertThat(said(0)).isEqualTo("The server grants 1 request in 2 s: no more go.");
        accept(2, new Quota("core", 5L, null, null, Duration.ofMinutes(1)));
        assertThat(said(2)).isEqualTo("The server grants 5 requests in 1 min: no more go.");
    }
}
