package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the command line says about itself and about arguments that it does not take. */
class MainIT {

    @Test
    void helpGoesToStdout() {
        Jar.Result result = Jar.run("", "--help");

        assertThat(result.status()).isZero();
        assertThat(result.out()).contains("compare", "replay", "busy", "hints", "serve");
        assertThat(result.err()).isEmpty();
    }

    /** As a process of its own: this is how a shell sees an error. */
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
            compare --strategies none --calls some                | --calls           | 1000,10:+5m
            compare --strategies none --calls 0                   | --calls           | 1000,10:+5m
            compare --strategies none --calls 10,                 | --calls           | 1000,10:+5m
            compare --strategies none --calls 10:5m               | --calls           | 1000,10:+5m
            compare --strategies none --calls 10:+5               | --calls           | a duration
            compare --strategies none --calls 10:+40m             | --calls           | before the end
            compare --strategies none --calls 1,2,3 --processes 2 | --processes       | as --calls has numbers
            compare --strategies none --arrivals 5                | --arrivals        | 0.5/s
            compare --strategies none --arrivals 0/s              | --arrivals        | above zero
            compare --strategies none --arrivals 1/d              | --arrivals        | 30/m
            compare --strategies none --arrivals 1/s --calls 5    | --arrivals        | --calls
            compare --strategies none --burst 5                   | --burst           | --arrivals
            compare --strategies none --arrivals 1/s --burst 0    | --burst           | from 1 to
            compare --strategies none --max-wait long             | --max-wait        | a duration
            compare --strategies none --used 5                    | --used            | fixed-window
            compare --strategies none --server fixed-window --used 4501 | --used      | from 0 to the capacity
            compare --strategies none --server fixed-window --used 1 --initial 1 | --used | --initial
            compare --strategies none --phase 5m                  | --phase           | fixed-window
            compare --strategies none --server fixed-window --phase 1h | --phase      | below the window
            compare --strategies none --window-start late         | --window-start    | grid, first-request
            compare --strategies none --window-start first-request | --window-start   | fixed-window
            compare --strategies none --stray 429                 | --stray           | 429@1000
            compare --strategies none --stray 200@5               | --stray           | 429@1000
            compare --strategies none --stray 429@0               | --stray           | 429@1000
            compare --strategies none --stray 429@0%              | --stray           | 0.8%
            compare --strategies none --stray 429@101%            | --stray           | 0.8%
            compare --strategies none --stray 429@0s              | --stray           | 429@30s
            compare --strategies none --outage 5m                 | --outage          | 5m:2m
            compare --strategies none --outage 5m:0s              | --outage          | above zero
            compare --strategies none --outage 5m:2m:404          | --outage          | 503, 502 or refused
            compare --strategies none --outage 5m:2m:             | --outage          | 5m:10s:502
            compare --strategies none --restart 5m                | --restart         | 5m:2s
            compare --strategies none --restart 5m:2s:502         | --restart         | 5m:2s
            compare --strategies none --restart 5m:0s             | --restart         | above zero
            compare --strategies none --restart soon:2s           | --restart         | a duration
            compare --strategies none --cost 5 --server llm --restart 5m:2s | --restart | if the server is llm
            compare --strategies none --retries some              | --retries         | all, standard
            compare --strategies none --server nginx-limit-req --burst -1 | --burst   | from 0 to
            compare --strategies none --server nginx-limit-req --status 404 | --status | 429 or 503
            compare --strategies none --server nginx-limit-req --delay maybe | --delay | on, off
            compare --strategies none --delay on                  | --delay           | unless the server is nginx-limit-req
            compare --strategies none --status 429                | --status          | nginx-limit-req or concurrency
            compare --strategies none --count-refused off         | --count-refused   | unless the server is haproxy-rate
            compare --strategies none --block 5s                  | --block           | unless the server is nest-throttler
            compare --strategies none --server nest-throttler --block 0s | --block    | above zero
            compare --strategies none --server nest-throttler --block 5 | --block     | a duration
            compare --strategies none --lockout triple            | --lockout         | ban:5
            compare --strategies none --lockout ban:0             | --lockout         | ban:5
            compare --strategies none --server concurrency --weight 2:3 | --weight    | if the server is concurrency
            compare --strategies none --server nest-throttler --capacity-change 5m:x2 | --capacity-change | if the server is nest-throttler
            compare --strategies none --server per-connection --weight 2:3 | --weight | if the server is per-connection
            compare --strategies none --server per-connection --arrivals 1/s | --arrivals | if the server is per-connection
            compare --strategies none --server per-connection --join 5m:+8 | --join   | if the server is per-connection
            compare --strategies none --second-limit per-connection:10/1s | --second-limit | any kind of server but llm
            compare --strategies none --second-limit haproxy-rate:10/1s | --second-limit | any kind of server but llm
            serve --burst 5                                       | --burst           | unless the server is nginx-limit-req
            compare --strategies none --capacity-change 5m:0.5    | --capacity-change | 10m:x0.5
            compare --strategies none --capacity-change 5m:x0     | --capacity-change | leaves a capacity
            compare --strategies none --jitter-remaining -1       | --jitter-remaining | 0 or more
            compare --strategies none --reset-skew 90             | --reset-skew      | a duration
            compare --strategies none --weight 2                  | --weight          | 2:10
            compare --strategies none --weight 3:2                | --weight          | from 3
            compare --strategies none --second-limit 10/1s        | --second-limit    | fixed-window:10/1s
            compare --strategies none --second-limit ftp:10/1s    | --second-limit    | gcra, token-bucket
            compare --strategies none --cost many                 | --cost            | 4000:0.8
            compare --strategies none --cost 0                    | --cost            | from 1 to
            compare --strategies none --cost 100:4                | --cost            | from 0 to 3
            compare --strategies none --cost 100:                 | --cost            | 4000:0.8
            compare --strategies none --cost 5 --cost-unit Two    | --cost-unit       | tokens
            compare --strategies none --cost 5 --estimate 0       | --estimate        | 0.001
            compare --strategies none --estimate 2                | --estimate        | without --cost
            compare --strategies none --cost 5 --estimate x       | --estimate        | a number
            compare --strategies none --cost 5 --stream 2h        | --stream          | at most 1h
            compare --strategies none --cost 5 --stream 20        | --stream          | a duration
            compare --strategies none --stream 20s                | --stream          | without --cost
            compare --strategies none --cost 5 --settle maybe     | --settle          | on, off
            compare --strategies none --cost 5 --cost-change 5:2  | --cost-change     | 100:x0.1
            compare --strategies none --cost 5 --cost-change 0:x2 | --cost-change     | 100:x0.1
            compare --strategies none --cost-change 5:x2          | --cost-change     | without --cost
            compare --strategies none --output-cost 5             | --output-cost     | without --cost
            compare --strategies none --cost 5 --output-cost 5    | --output-cost     | without --output-capacity
            compare --strategies none --server llm --output-capacity 5 | --output-capacity | without --output-cost
            compare --strategies none --server llm --output-capacity 0 --output-cost 5 | --output-capacity | from 1
            compare --strategies none --server llm --token-capacity 0 | --token-capacity | from 1
            compare --strategies none --server llm --token-window 0s | --token-window | above zero
            compare --strategies none --server llm --token-limit sieve | --token-limit | bucket, window
            compare --strategies none --server llm --charge never | --charge          | arrival, held, end
            compare --strategies none --server llm --weight 2:3   | --weight          | if the server is llm
            compare --strategies none --token-capacity 5          | --token-capacity  | unless the server is llm
            compare --strategies none --token-window 5s           | --token-window    | unless the server is llm
            compare --strategies none --charge end                | --charge          | unless the server is llm
            compare --strategies none --second-limit llm:10/1s    | --second-limit    | any kind of server but llm
            compare --strategies none --beside nope               | --beside          | aws-adaptive
            compare --strategies none --beside none:1             | --beside          | greedy-until-reset:1x5
            compare --strategies none --beside none:0x1           | --beside          | from 1 to
            compare --strategies nope                             | --strategies      | aws-adaptive
            bar --group nope                                      | --group           | jobs-window
            bar --filter nope                                     | --filter          | some scenario
            ablation --constants nope                             | --constants       | tolerance
            ablation --moved -1                                   | --moved           | 0 or more
            ablation --group nope                                 | --group           | jobs-window
            ablation --runs 0                                     | --runs            | from 1 to
            bar --runs 0                                          | --runs            | from 1 to
            bar --parallel 0                                      | --parallel        | from 1 to
            bar --details -1                                      | --details         | 0 or more
            bar --strategies nope                                 | --strategies      | quota-pacing
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
            dry-run --filter nope                                 | --filter          | some scenario
            dry-run --seed x                                      | --seed            | a whole number
            report                                                | --html            | FILE.html
            torture --minutes 0                                   | --minutes         | above 0
            torture --minutes many                                | --minutes         | a number
            torture --seed x                                      | --seed            | a whole number
            torture --calls 0                                     | --calls           | at least 1
            torture --client curl                                 | --client          | okhttp, jdk, both
            """)
    void badArgumentsAreToldInOneLineThatNamesThem(String args, String named, String takes) {
        Jar.Result result = Jar.runWarm("", args.split(" +"));

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains(named).contains(takes).hasLineCount(1);
    }
}
