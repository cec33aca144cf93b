package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WatchIT {

    @Test
    void itSaysWhereThePageIsAndEndsByItself() {
        Jar.Result result = Jar.run("", "watch", "--url", "http://127.0.0.1:1/metrics", "--minutes", "0.01");
        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
        assertThat(result.out()).matches("listening on http://127\\.0\\.0\\.1:[0-9]+\n");
    }

    @ParameterizedTest
    @CsvSource({
        "--url, file:///etc/passwd",
        "--url, /metrics",
        "--port, 65536",
        "--minutes, -1",
        "--every, 1ms",
    })
    void badArgumentsAreToldInOneLine(String option, String value) {
        String url = option.equals("--url") ? value : "http://127.0.0.1:1/metrics";
        Jar.Result result = option.equals("--url")
                ? Jar.runWarm("", "watch", "--url", url)
                : Jar.runWarm("", "watch", "--url", url, option + "=" + value);
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains(option).hasLineCount(1);
        assertThat(result.out()).isEmpty();
    }
}
