package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HintsIT {

    @Test
    void aLineTellsWhatAResponseSays() {
        Jar.Result result = Jar.run("""
                {"id":"x","status":429,"headers":[["Retry-After","5"]],"receivedAt":1700000000000}
                {"id":7,"status":200,"headers":{"RateLimit-Policy":"\\"day\\";q=100;w=60","RateLimit":"\\"day\\";r=9;t=1"}}
                {"status":200}
                """, "hints");

        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
        assertThat(result.lines())
                .containsExactly(
                        "{\"id\":\"x\",\"throttled\":true,\"retryAfterMillis\":5000,\"policies\":[]}",
                        "{\"id\":7,\"throttled\":false,\"retryAfterMillis\":null,\"policies\":[{\"name\":\"day\","
                                + "\"limit\":100,\"remaining\":9,\"resetMillis\":1000,\"windowMillis\":60000,\"unit\":\"requests\"}]}",
                        "{\"id\":null,\"throttled\":false,\"retryAfterMillis\":null,\"policies\":[]}");
    }

    @Test
    void nullsStandForWhatIsNotSaid() {
        Jar.Result result =
                Jar.runWarm("{\"id\":\"a\",\"status\":200,\"headers\":[[\"RateLimit-Remaining\",\"3\"]]}", "hints");

        assertThat(result.lines())
                .containsExactly(
                        "{\"id\":\"a\",\"throttled\":false,\"retryAfterMillis\":null,\"policies\":[{\"name\":null,"
                                + "\"limit\":null,\"remaining\":3,\"resetMillis\":null,\"windowMillis\":null,\"unit\":\"requests\"}]}");
    }

    @Test
    void aBodyMayTellThatNoWaitHelps() {
        Jar.Result result = Jar.runWarm("""
                {"id":"a","status":429,"headers":{"Content-Type":"application/json"},\
                "body":{"error":{"message":"Limit 30000, Requested 250011"}}}
                {"id":"b","status":429,"headers":{"Content-Type":"application/json","Date":"Tue, 06 Oct 2026 12:00:00 GMT"},\
                "body":"{\\"message\\":\\"limited to 1000 API calls / month\\"}"}
                """, "hints");

        assertThat(result.err()).isEmpty();
        assertThat(result.lines())
                .containsExactly(
                        "{\"id\":\"a\",\"throttled\":true,\"denied\":true,\"retryAfterMillis\":null,\"policies\":[]}",
                        "{\"id\":\"b\",\"throttled\":true,\"denied\":true,\"retryAfterMillis\":2203200000,\"policies\":"
                                + "[{\"name\":\"month\",\"limit\":null,\"remaining\":null,\"resetMillis\":null,"
                                + "\"windowMillis\":null,\"unit\":\"requests\"}]}");
    }

    @Test
    void aHostMayBeToldAndTheUnitIsWritten() {
        Jar.Result result = Jar.runWarm(
                "{\"id\":1,\"host\":\"api.huobi.pro\",\"status\":200,\"headers\":{\"ratelimit-limit\":\"20\","
                        + "\"ratelimit-interval\":\"3000\",\"x-ratelimit-remaining-tokens\":\"7\"}}",
                "hints");

        assertThat(result.lines())
                .containsExactly("{\"id\":1,\"throttled\":false,\"retryAfterMillis\":null,\"policies\":[{\"name\":null,"
                        + "\"limit\":20,\"remaining\":null,\"resetMillis\":null,\"windowMillis\":3000,\"unit\":\"requests\"},"
                        + "{\"name\":\"tokens\",\"limit\":null,\"remaining\":7,\"resetMillis\":null,\"windowMillis\":null,"
                        + "\"unit\":\"tokens\"}]}");
    }

    @Test
    void explainTellsWhatSeveralResponsesTellTogether() {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i <= 10; i++) {
            lines.append("{\"at\":%s,\"status\":200,\"headers\":{\"X-RateLimit-Limit\":\"200\",".formatted(i * 0.2))
                    .append("\"X-RateLimit-Remaining\":\"%d\",".formatted(190 - i))
                    .append("\"X-RateLimit-Reset\":\"%d\"}}%n".formatted(30_000 - i * 200));
        }
        Jar.Result result = Jar.runWarm(lines.toString(), "explain");

        assertThat(result.err()).isEmpty();
        assertThat(result.lines())
                .last()
                .isEqualTo("The reset of the quota is told in milliseconds, although its number looks like seconds.");
    }

    @Test
    void brokenJsonIsToldByItsLine() {
        Jar.Result result = Jar.runWarm("{\"id\":\"a\",\"status\":200}\n{\"id\":\n", "hints");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.lines()).hasSize(1);
        assertThat(result.err()).contains("line 2").hasLineCount(1);
    }

    @Test
    void vendorsAreListedWithTheirSamples() {
        Jar.Result result = Jar.runWarm("", "hints", "--vendors");

        assertThat(result.status()).isZero();
        assertThat(result.lines())
                .contains(
                        "KuCoin (https://www.kucoin.com/docs-new/rate-limit, 2026-11-25)",
                        "  gw-ratelimit-reset: 29994",
                        "    = quota gw limit=500 remaining=300 reset=29.994s");
    }

    @Test
    void nothingComesOfNothing() {
        assertThat(Jar.runWarm("", "hints")).isEqualTo(new Jar.Result(0, "", ""));
    }

    @Test
    void aResponseHeadIsExplainedToAPerson() {
        Jar.Result result = Jar.runWarm(
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 429 Too Many Requests\r\nRetry-After: 30\r\n"
                        + "RateLimit-Policy: \"day\";q=100;w=60\r\nRateLimit: \"day\";r=0;t=30\r\n\r\n{\"body\":1}",
                "hints",
                "--http");

        assertThat(result.err()).isEmpty();
        assertThat(result.lines())
                .containsExactly(
                        "Status 429: refused, a quota is used up. This key has to slow down.",
                        "It asks to stay away for 30 s: no request of this key is sent before that.",
                        "The quota 'day': grants 100 requests per 1 min, 0 left, more in 30 s.");
    }

    @Test
    void aPersonIsToldHowLongWhatIsLeftLasts() {
        String head =
                "HTTP/1.1 200 OK\r\nRateLimit-Policy: \"hour\";q=60;w=3600\r\nRateLimit: \"hour\";r=%d;t=1800\r\n\r\n";
        assertThat(Jar.runWarm(head.formatted(7), "hints", "--http").lines())
                .last()
                .isEqualTo(
                        "The quota 'hour': grants 60 requests per 1 h, 7 left, more in 30 min, so one every 4 min 18 s.");
    }

    @Test
    void whatIsNoResponseHeadIsTold() {
        assertThat(Jar.runWarm("GET / HTTP/1.1\n", "hints", "--http").err())
                .contains("line 1")
                .hasLineCount(1);
        assertThat(Jar.runWarm("HTTP/1.1 200 OK\nnonsense\n", "hints", "--http").err())
                .contains("line 2");
        assertThat(Jar.runWarm("", "hints", "--http").status()).isEqualTo(1);
    }
}
