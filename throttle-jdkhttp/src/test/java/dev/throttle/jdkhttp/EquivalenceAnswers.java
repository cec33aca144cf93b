package dev.throttle.jdkhttp;

import java.util.concurrent.TimeUnit;
import mockwebserver3.MockResponse;

/** What servers answer in the rows of the equivalence. */
final class EquivalenceAnswers {

    private static final int LONG_SECONDS = 20;

    private EquivalenceAnswers() {}

    static MockResponse.Builder empty(int status) {
        return new MockResponse.Builder().code(status);
    }

    static MockResponse response(int status, String body) {
        return new MockResponse.Builder().code(status).body(body).build();
    }

    static MockResponse redirect(int status, String location) {
        return empty(status).addHeader("Location", location).build();
    }

    static MockResponse late() {
        return empty(200).headersDelay(LONG_SECONDS, TimeUnit.SECONDS).build();
    }
}
