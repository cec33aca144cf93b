package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.NamedQuotas.Caller;
import dev.throttle.NamedQuotas.Style;
import dev.throttle.NamedQuotas.Window;
import dev.throttle.control.Strategies;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls of several quotas with one key, beside the same calls with a key for each quota made by hand. */
class NamedQuotasTest {

    private record Result(double plenty, double scarce, long refused, long sent) {}

    private static Result run(
            Style style, boolean byHand, long calls, long limit, double window, long few, long low, double lowWindow) {
        NamedQuotas server = new NamedQuotas(style);
        server.route("GET /plenty", new Window("plenty", limit, window));
        Window scarce = new Window("scarce", low, lowWindow);
        server.route("GET /scarce", scarce);
        Throttle first = server.throttle().build();
        Throttle second = byHand ? server.throttle().build() : first;
        Caller one = server.caller(first, calls, "GET /plenty");
        Caller other = server.caller(second, few, "GET /scarce");
        server.run(2_000);
        return new Result(one.finished, other.finished, scarce.refused, scarce.granted + scarce.refused);
    }

    @ParameterizedTest
    @CsvSource({
        "GITHUB, 1000, 5000, 3600, 90, 30, 60",
        "IETF, 900, 1000, 300, 200, 100, 300",
        "DISCORD, 1000, 50, 1, 50, 5, 5",
    })
    void aQuotaHoldsOnlyTheCallsThatItCounts(
            Style style, long calls, long limit, double window, long few, long low, double lowWindow) {
        Result byHand = run(style, true, calls, limit, window, few, low, lowWindow);
        Result learned = run(style, false, calls, limit, window, few, low, lowWindow);
        assertThat(learned.plenty).isLessThanOrEqualTo(byHand.plenty * 1.1);
        assertThat(learned.scarce).isLessThanOrEqualTo(byHand.scarce * 1.1);
        double windows = Math.ceil(learned.scarce / lowWindow);
        assertThat(few / (windows * low)).isGreaterThanOrEqualTo(0.97);
        assertThat(learned.refused).isLessThanOrEqualTo(Math.max(byHand.refused, learned.sent / 200));
    }

    @Test
    void ofTenRoutesAndFourQuotasEachIsUsedUpAndNoCallWaitsForAnother() {
        NamedQuotas server = new NamedQuotas(Style.IETF);
        Window[] named = {new Window("a", 400, 60), new Window("b", 800, 60), new Window("c", 1600, 60)};
        Window plenty = new Window("plenty", 1_000_000, 3_600);
        Window all = new Window(null, 100_000, 60);
        List<String> routes = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            routes.add("GET /" + i);
            server.route("GET /" + i, named[i % 3], all);
        }
        server.route("GET /plenty", plenty, all);
        List<Caller> free = new ArrayList<>();
        for (int process = 0; process < 5; process++) {
            Throttle throttle = server.throttle().build();
            for (int i = 0; i < 12; i++) { // each with the routes of one quota, at random
                int quota = i % 3;
                List<String> own = routes.stream()
                        .filter(route -> (route.charAt(route.length() - 1) - '0') % 3 == quota)
                        .toList();
                server.caller(throttle, Long.MAX_VALUE, own.toArray(String[]::new));
            }
            free.add(server.caller(throttle, Long.MAX_VALUE, "GET /plenty"));
        }
        server.run(600);
        assertThat(free).allSatisfy(caller -> {
            assertThat(caller.done).isGreaterThan(9_000);
            assertThat(caller.waited).isZero();
        });
        for (Window window : named) {
            assertThat(window.granted).isGreaterThanOrEqualTo((long) (0.95 * window.limit * 10));
            assertThat(window.refused).isLessThanOrEqualTo((long) (0.015 * window.granted));
        }
    }

    /** All calls wait before the first answer names a quota. */
    @Test
    void aBurstOfAllCallsAtOnceFindsItsQuotas() {
        NamedQuotas server = new NamedQuotas(Style.GITHUB);
        server.route("GET /core", new Window("core", 5_000, 3_600));
        server.route("GET /search", new Window("search", 30, 60));
        Throttle throttle =
                server.throttle().limit(Strategies.inFlight().limit(10).build()).build();
        List<Caller> core = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            core.add(server.caller(throttle, 1, "GET /core"));
            if (i % 11 == 0) {
                server.caller(throttle, 1, "GET /search");
            }
        }
        server.run(2_000);
        assertThat(core).allSatisfy(caller -> assertThat(caller.finished).isLessThan(10)); // ten at a time take 5 s
    }
}
