package dev.throttle.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.ThrottleMode;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleState;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.spring.boot.ThrottlesEndpoint.Action;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** What operators see and do. */
class ThrottlesEndpointTest {

    private static final String ORIGIN = "https://api.example.com:443";

    private final VirtualTime time = new VirtualTime();
    private final ThrottleRegistry throttles = ThrottleRegistry.builder()
            .name("app")
            .strategy(Strategies.none())
            .time(time)
            .retryAfterJitter(0, Duration.ZERO)
            .executor(Runnable::run)
            .label(key -> key.replaceAll("token=\\w+", "token=?"))
            .build();
    private final ThrottlesEndpoint endpoint = new ThrottlesEndpoint(throttles);

    private Throttle refused() {
        Throttle throttle = throttles.get(ORIGIN);
        Quota quota = new Quota("search", 10L, 0L, Duration.ofSeconds(40), null, Quota.REQUESTS, "account-7");
        throttle.acquireAsync()
                .join()
                .complete(new Signal(Outcome.RATE_LIMITED, new RateHints(Duration.ofSeconds(40), List.of(quota))));
        return throttle;
    }

    @Test
    void allKeysAreShownByTheirLabels() {
        refused();
        throttles.get("https://b.example.com:443 token=secret");
        assertThat(endpoint.throttles().name()).isEqualTo("app");
        assertThat(endpoint.throttles().throttles())
                .extracting(ThrottlesEndpoint.Summary::label)
                .containsExactly(ORIGIN, "https://b.example.com:443 token=?");
        assertThat(endpoint.throttles().toString()).doesNotContain("secret");
        assertThat(endpoint.throttles().throttles().get(0).blocked()).isEqualTo(Duration.ofSeconds(40));
    }

    @Test
    void oneKeyIsShownInFullAndWhyCallsWait() {
        Throttle throttle = refused();
        assertThat(endpoint.throttle(new String[] {"api.example.com"}).why())
                .isEqualTo(ORIGIN + ": no call is waiting, 0 requests are in flight;"
                        + " a new call would wait at least 40 s (retry-after, quota search)");
        throttle.acquireAsync();
        time.advance(Duration.ofSeconds(10));
        KeyDescriptor key = endpoint.throttle(new String[] {"https:", "api.example.com:443"});
        assertThat(key.reason()).isEqualTo("retry-after");
        assertThat(key.quota()).isEqualTo("search");
        assertThat(key.why())
                .contains(
                        "1 call is waiting",
                        "the first for 10 s (retry-after, quota search)",
                        "with at least 30 s to go");
        assertThat(key.waiting()).isEqualTo(1);
        assertThat(key.waitingByQuota()).isEqualTo(Map.of("search", 1));
        assertThat(key.outcomes()).containsEntry(Outcome.RATE_LIMITED, 1L);
        assertThat(key.rateLimit()).isNull();
        assertThat(key.inFlightLimit()).isNull();
        assertThat(key.quotas()).singleElement().satisfies(quota -> {
            assertThat(quota.policy()).isEqualTo("search");
            assertThat(quota.limit()).isEqualTo(10);
            assertThat(quota.reset()).isEqualTo(Duration.ofSeconds(30));
        });
        assertThat(key.toString()).doesNotContain("account-7");
    }

    @Test
    void aKeyIsFoundByItsLabelOrItsHost() {
        throttles.get(ORIGIN);
        throttles.get("https://api.example.com.org:443");
        throttles.get("plain");
        assertThat(endpoint.throttle(new String[] {"api.example.com:443"}).label())
                .isEqualTo(ORIGIN);
        assertThat(endpoint.throttle(new String[] {"plain"}).label()).isEqualTo("plain");
        assertThat(endpoint.throttle(new String[] {"example.com"})).isNull();
        assertThat(endpoint.change(new String[] {"example.com"}, Action.PAUSE, null))
                .isNull();
    }

    @Test
    void aKeyIsObservedAndReportedAndEnforcedAgain() {
        String[] label = {"api.example.com"};
        ThrottleReportEndpoint reports = new ThrottleReportEndpoint(throttles);
        Throttle throttle = throttles.get(ORIGIN);
        assertThat(reports.report(label)).isNull();
        assertThat(reports.report(new String[] {"unknown"})).isNull();
        assertThat(reports.reports().reports()).isEmpty();
        assertThat(endpoint.change(label, Action.OBSERVE, null).mode()).isEqualTo(ThrottleMode.OBSERVE);
        refused();
        assertThat(throttle.tryAcquire()).isNotNull();
        assertThat(reports.report(label).summary()).startsWith(ORIGIN + ": observed 1 requests");
        assertThat(reports.reports().reports())
                .singleElement()
                .satisfies(entry -> assertThat(entry.report().refused()).isEqualTo(1));
        endpoint.change(label, Action.ENFORCE, null);
        assertThat(throttle.tryAcquire()).isNull();
    }

    @Test
    void allKeysAreObserved() {
        Throttle throttle = refused();
        assertThat(endpoint.changeAll(Action.OBSERVE, null).throttles())
                .singleElement()
                .satisfies(key -> assertThat(key.mode()).isEqualTo(ThrottleMode.OBSERVE));
        assertThat(throttle.tryAcquire()).isNotNull();
        endpoint.changeAll(Action.ENFORCE, null);
        assertThat(throttle.tryAcquire()).isNull();
    }

    @Test
    void aKeyIsPausedAndResumed() {
        Throttle throttle = throttles.get(ORIGIN);
        String[] label = {"api.example.com"};
        assertThat(endpoint.change(label, Action.PAUSE, null).state()).isEqualTo(ThrottleState.PAUSED);
        assertThat(throttle.tryAcquire()).isNull();
        assertThat(throttles.get("other").tryAcquire()).isNotNull();
        assertThat(endpoint.change(label, Action.RESUME, null).state()).isEqualTo(ThrottleState.RUNNING);
        assertThat(throttle.tryAcquire()).isNotNull();
    }

    @Test
    void allKeysArePausedAndResumedThoseToComeAsWell() {
        endpoint.changeAll(Action.PAUSE, false);
        assertThat(throttles.get("new").tryAcquire()).isNull();
        endpoint.changeAll(Action.RESUME, null);
        assertThat(throttles.get("new").tryAcquire()).isNotNull();
    }

    @Test
    void healthIsUpWhateverIsHeldBack() {
        ThrottlesHealthIndicator indicator = new ThrottlesHealthIndicator(throttles);
        assertThat(indicator.health().getDetails()).containsEntry("keys", 0).containsEntry("heldBack", 0);
        refused();
        throttles.get("idle");
        Health health = indicator.health();
        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails()).containsEntry("keys", 2).containsEntry("heldBack", 1);
        assertThat(health.getDetails().get("reasons").toString())
                .contains(ORIGIN)
                .doesNotContain("idle");
        throttles.pause();
        assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
        assertThat(indicator.health().getDetails()).containsEntry("heldBack", 2);
        assertThat(Map.copyOf(indicator.health().getDetails())).containsEntry("waiting", 0);
    }
}
