package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MainIT {

    @Test
    void helpGoesToStdout() {
        Jar.Result result = Jar.run("", "--help");

        assertThat(result.status()).isZero();
        assertThat(result.out()).contains("compare", "replay", "busy", "hints", "serve");
        assertThat(result.err()).isEmpty();
    }

    @Test
    void withoutACommandItSaysWhichThereAre() {
        Jar.Result result = Jar.run("");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("compare, replay, busy, hints, serve").hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            simulate                                              | simulate          | compare, replay
            compare                                               | --strategies      | NAME
            compare --strategies nope                             | --strategies      | none, linear-backoff
            compare --strategies java.lang.String                 | --strategies      | dev.throttle.control.Strategy
            compare --strategies none --server ftp                | --server          | gcra, token-bucket
            compare --strategies none --capacity 0                | --capacity        | from 1 to
            compare --strategies none --capacity many             | --capacity        | a whole number
            compare --strategies none --window 3600               | --window          | 250ms
            compare --strategies none --window 0s                 | --window          | above zero
            compare --strategies none --initial 4501              | --initial         | from 0 to the capacity
            compare --strategies none --headers all               | --headers         | none, remaining, legacy, ietf
            compare --strategies none --retry-after yes           | --retry-after     | on, off
            compare --strategies none --processes 0               | --processes       | from 1 to
            compare --strategies none --threads 99999999999       | --threads         | a whole number
            compare --strategies none --duration 30               | --duration        | a duration
            compare --strategies none --latency -5ms              | --latency         | a duration
            compare --strategies none --latency 0s                | --latency         | above zero
            compare --strategies none --starting-sleep 1          | --starting-sleep  | a duration
            compare --strategies none --stop-under few            | --stop-under      | a whole number
            compare --strategies none --stop-under -1             | --stop-under      | 0 or more
            compare --strategies none --join 5m:8                 | --join            | 5m:+8
            compare --strategies none --join 5:+8                 | --join            | a duration
            compare --strategies none --join 40m:+8               | --join            | before the end
            compare --strategies none --leave 5m:+1               | --leave           | 20m:-8
            compare --strategies none --leave 5m:-2               | --leave           | leaves 1 to
            compare --strategies none --runs 0                    | --runs            | from 1 to
            compare --strategies none --seed x                    | --seed            | a whole number
            compare --strategies none --format xml                | --format          | table, markdown, csv, json
            compare --strategies none --colour red                | --colour          | --strategies
            replay                                                | --strategy        | NAME
            replay --strategy nope                                | --strategy        | none, linear-backoff
            replay --strategy none --set multiplier=2             | --set             | no settings
            replay --strategy linear-backoff --set multiplier=2   | --set             | interval, maxInterval
            replay --strategy linear-backoff --set interval=2     | --set             | 250ms
            replay --strategy linear-backoff --set interval       | --set             | KEY=VALUE
            replay --strategy none --jitter maybe                 | --jitter          | on, off
            busy                                                  | --pattern         | PATTERN
            busy --pattern wavy                                   | --pattern         | steady, flappy
            busy --pattern steady --recover-rate x                | --recover-rate    | a number
            busy --pattern steady --recover-rate 0                | --recover-rate    | from
            busy --pattern steady --recover-rate 1 --recover-value 2 | --recover-value | --recover-rate
            busy --pattern steady --start-rps -1                  | --start-rps       | from 0
            busy --pattern steady --start-busy -1                 | --start-busy      | from 0
            busy --pattern steady --duration 0                    | --duration        | from 1
            hints --https                                         | --https           | --http
            serve --port 65536                                    | --port            | from 0 to 65535
            serve --time-scale 0                                  | --time-scale      | above 0
            serve --latency 2h                                    | --latency         | to 1h
            serve --capacity x                                    | --capacity        | a whole number
            """)
    void badArgumentsAreToldInOneLineThatNamesThem(String args, String named, String takes) {
        Jar.Result result = Jar.run("", args.split(" +"));

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains(named).contains(takes).hasLineCount(1);
    }
}
