package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BusyIT {

    private static String published(String name) {
        try (InputStream in = BusyIT.class.getResourceAsStream("/vectors/busy-" + name + ".txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"steady", "flappy"})
    void thePublishedTablesComeOutToTheLetter(String pattern) {
        assertThat(Jar.runWarm("", "busy", "--pattern", pattern)).isEqualTo(new Jar.Result(0, published(pattern), ""));
    }

    @Test
    void oneVariantIsTheHalfOfBoth() {
        String rate = Jar.runWarm("", "busy", "--pattern", "flappy", "--recover-rate", "3")
                .out();
        String value = Jar.runWarm("", "busy", "--pattern", "flappy", "--recover-value", "200")
                .out();

        assertThat(rate + value).isEqualTo(published("flappy"));
    }

    @Test
    void growingTrafficRecovers() {
        Jar.Result result = Jar.runWarm("", "busy", "--pattern", "linear_grow", "--recover-rate", "3");

        assertThat(result.lines())
                .startsWith(
                        "started with recover_rate: 3",
                        "start rps=100 (linear_grow) throttled=0 busy=0 (linear_grow) limit=9999999",
                        "    --- time=1 rps=200 throttled=0 busy=100 limit=9999999",
                        "    --- time=2 rps=38 throttled=262 busy=38 limit=38")
                .endsWith(
                        "    +++ time=16 rps=1700 throttled=0 busy=0 limit=2441", "    converged at time=16, speed=6");
    }

    @Test
    void shrinkingTrafficRecovers() {
        Jar.Result result = Jar.runWarm("", "busy", "--pattern", "linear_decrease", "--recover-rate", "3");

        assertThat(result.lines())
                .startsWith(
                        "started with recover_rate: 3",
                        "start rps=5000 (linear_decrease) throttled=0 busy=3000 (steady) limit=9999999",
                        "    --- time=1 rps=4900 throttled=0 busy=3000 limit=9999999")
                .endsWith(
                        "    +++ time=17 rps=3300 throttled=0 busy=0 limit=9765", "    converged at time=17, speed=7");
    }

    @Test
    void startsMayBeChosen() {
        Jar.Result result = Jar.runWarm(
                "",
                ("busy --pattern steady --recover-rate 3 --start-rps 10 --start-busy 1 --duration 3")
                        .toLowerCase(Locale.ROOT)
                        .split(" "));

        assertThat(result.lines())
                .startsWith(
                        "started with recover_rate: 3",
                        "start rps=10 (steady) throttled=0 busy=1 (steady) limit=9999999",
                        "    --- time=1 rps=10 throttled=0 busy=1 limit=9999999",
                        "    --- time=2 rps=10 throttled=0 busy=1 limit=9999999",
                        "    ++++ recovering");
        assertThat(result.status()).isZero();
    }
}
