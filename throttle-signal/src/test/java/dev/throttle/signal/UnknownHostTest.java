package dev.throttle.signal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.header.Readings;
import org.junit.jupiter.api.Test;

/** Headers that only one vendor has are its headers, also where nobody says which host has sent them. */
class UnknownHostTest {

    private static void reads(Head head, String... readings) {
        assertThat(Readings.of(head.hints())).containsExactly(readings);
    }

    @Test
    void twoHeadersOfAVendorAreItsHeaders() {
        Head head = Head.of(200, "x-requests-remaining", "487", "x-requests-used", "13");
        reads(head, "quota credits remaining=487 unit=credits");
        reads(head.at("api.example.com"), "nothing");
        reads(head.at("api.the-odds-api.com"), "quota credits remaining=487 unit=credits");
    }

    @Test
    void oneOfThemMayBeAnybodys() {
        reads(Head.of(200, "x-requests-remaining", "487"), "nothing");
        reads(Head.of(200, "x-requests-remaining", "487", "X-Requests-Remaining", "486"), "nothing");
    }

    @Test
    void theOnlyHeaderOfAVendorNeedsNoOther() {
        reads(
                Head.of(200, "Remaining-Req", "group=order; min=59; sec=4"),
                "quota order-min remaining=59 window=60s",
                "quota order-sec remaining=4 window=1s");
    }

    @Test
    void namesThatSpeakForThemselvesKeepTheirMeaning() {
        reads(
                Head.of(200, "RateLimit-Limit", "20", "RateLimit-Interval", "3000", "RateLimit-Remaining", "7"),
                "quota - limit=20 remaining=7 window=3000s");
        reads(
                Head.of(200, "X-RateLimit-Limit", "600,30000", "X-RateLimit-Usage", "314,1200"),
                "quota 15m limit=600 remaining=286 window=900s",
                "quota 1d limit=30000 remaining=28800 window=86400s");
    }
}
