package dev.throttle.signal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Input as large as HTTP clients let through. Each of these takes a few milliseconds; the limits of time are there to
 * catch what grows with the square of the size, which would take minutes.
 */
@Timeout(20)
class HostileSizesTest {

    /** About what fits into 384 KiB of headers, the most that the JDK's client accepts. */
    private static final int LINES = 12_000;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "5,",
                ",",
                "Tue,",
                "Tue, 14 Nov 2023 22:14:20 GMT,",
                "1h1m1s",
                "0",
                "9",
                "\"a\";r=1,",
                ";a",
                "(",
                "\"",
                "\\",
                ":",
                "a;b=%\"\"",
                " ",
                "\t",
                "a=1/2;",
                "1:a;",
                "x;1,",
                "total=1;",
                "-",
                "1.",
                "T",
                "\u00b5",
                "1;w=1,",
                "1, "
            })
    void aValueUpToTheLimitIsReadInABlink(String piece) {
        String value = piece.repeat(8 * 1024 / piece.length());
        List<String> lines = new ArrayList<>();
        for (String name : List.of(
                "Retry-After",
                "X-Retry-In",
                "RateLimit",
                "RateLimit-Policy",
                "X-RateLimit-Limit",
                "X-RateLimit-Remaining",
                "X-RateLimit-Reset",
                "Sforce-Limit-Info",
                "X-Sentry-Rate-Limits",
                "zendesk-ratelimit-a",
                "x-ms-ratelimit-remaining-resource",
                "X-Shopify-Shop-Api-Call-Limit",
                "X-RateLimit-Resource",
                "Age",
                "Date")) {
            lines.add(name);
            lines.add(value);
        }
        Head head = new Head(429, "", lines);
        for (int i = 0; i < 10; i++) {
            assertThat(head.hints().quotas()).hasSizeLessThanOrEqualTo(16);
        }
    }

    @Test
    void manyLinesOfOneHeaderAreReadInABlink() {
        for (String name : List.of("X-RateLimit-Limit", "X-RateLimit-Remaining", "Retry-After", "X-RateLimit-Name")) {
            assertThat(lines(i -> name, i -> "" + i).hints().quotas()).hasSizeLessThanOrEqualTo(1);
        }
        assertThat(lines(i -> "RateLimit", i -> "\"a" + i + "\";r=1").hints()).isSameAs(RateHints.NONE);
        assertThat(lines(i -> "RateLimit-Policy", i -> "\"a" + i + "\";q=1").hints())
                .isSameAs(RateHints.NONE);
    }

    @Test
    void theLongestOfTheFirstThirtyTwoRetryAftersCounts() {
        assertThat(lines(i -> "Retry-After", i -> "" + i).hints().retryAfter()).isEqualTo(Duration.ofSeconds(31));
    }

    @Test
    void manyQuotasAreReadInABlinkAndFewAreKept() {
        assertThat(lines(i -> "X-RateLimit-Remaining-" + i, i -> "" + i).hints().quotas())
                .hasSize(16);
        assertThat(lines(i -> "v" + i + "-ratelimit-limit", i -> "" + i).hints().quotas())
                .hasSize(16);
        assertThat(lines(i -> "zendesk-ratelimit-a" + i, i -> "total=1; remaining=" + i)
                        .hints()
                        .quotas())
                .hasSize(16);
        assertThat(lines(i -> "Sforce-Limit-Info", i -> "a" + i + "=1/2")
                        .hints()
                        .quotas())
                .hasSize(16);
        assertThat(lines(i -> "X-Sentry-Rate-Limits", i -> i + ":a" + i).hints().quotas())
                .hasSize(16);
    }

    @Test
    void whatNoServerThatMeansWellSendsIsNotRead() {
        String list = IntStream.range(0, 1000).mapToObj(String::valueOf).collect(Collectors.joining(", "));
        assertThat(Head.of(429, "Retry-After", list).hints().retryAfter()).isNull();
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            lines.addAll(List.of("X-RateLimit-Limit", "1"));
        }
        lines.addAll(List.of("X-RateLimit-Remaining", "5"));
        assertThat(new Head(429, "", lines).hints().quotas())
                .as("after 32 headers about limits")
                .noneMatch(quota -> quota.remaining() != null);
    }

    @Test
    void aNameThatIsAllWordsIsReadInABlink() {
        assertThat(Head.of(200, "-r".repeat(100_000), "1", "x-rate-".repeat(30_000), "1")
                        .hints())
                .isSameAs(RateHints.NONE);
    }

    @Test
    void aNameOfAQuotaIsCut() {
        assertThat(Head.of(200, "RateLimit", "\"" + "n".repeat(1000) + "\";r=1")
                        .quota()
                        .policy())
                .hasSize(128);
        String longName = "X-RateLimit-Remaining-" + "n".repeat(1000);
        assertThat(Head.of(200, longName, "1").hints()).isSameAs(RateHints.NONE);
    }

    private static Head lines(IntFunction<String> name, IntFunction<String> value) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < LINES; i++) {
            lines.add(name.apply(i));
            lines.add(value.apply(i));
        }
        return new Head(200, "", lines);
    }

    @Test
    void aHostThatMakesUpNamesKeepsOthersFromNothing() {
        HintReader reader = HintReader.builder().build();
        for (int i = 0; i < 500; i++) {
            int first = i * 100;
            List<String> lines = new ArrayList<>();
            for (int j = 0; j < 100; j++) {
                lines.addAll(List.of("X-RateLimit-Remaining-Q" + (first + j), "1"));
            }
            reader.read(new Head(200, "made-up.example.com", lines), Head.NOW);
        }
        assertThat(reader.read(Head.of(429, "rEtry-after", "5").at("made-up.example.com"), Head.NOW)
                        .retryAfter())
                .isEqualTo(Duration.ofSeconds(5));
        Head other = Head.of(200, "X-RateLimit-Remaining-New", "1");
        assertThat(reader.read(other.at("made-up.example.com"), Head.NOW).quotas())
                .hasSize(1);
        assertThat(reader.read(other.at("other.example.com"), Head.NOW).quotas())
                .hasSize(1);
    }

    @Test
    void aHostThatHasMadeUpNamesStillMayHaveNewOnes() {
        HintReader reader = HintReader.builder().build();
        for (int i = 0; i < 3_000; i++) {
            reader.read(Head.of(200, "X-Made-Up-" + i, "1").at("a.example.com"), Head.NOW);
        }
        Head head = Head.of(200, "X-RateLimit-Remaining-New", "1").at("a.example.com");
        int answers = 0;
        while (reader.read(head, Head.NOW) == RateHints.NONE) {
            answers++;
        }
        assertThat(answers).isLessThan(256);
    }

    /** Servers number their requests in names of headers, and have many of them. They are read all the same. */
    @Test
    void whoNamesHeadersAnewWithEachResponseIsReadAllTheSame() {
        HintReader reader = HintReader.standard();
        for (int response = 0; response < 3_000; response++) {
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                lines.add("x-amz-meta-" + response + "-" + i);
                lines.add("1");
            }
            read(reader, lines);
        }
        RateHints late = read(
                reader,
                List.of("X-Late-RateLimit-Limit", "10", "X-Late-RateLimit-Remaining", "0", "Retry-After", "60"));
        assertThat(late.retryAfter()).isEqualTo(Duration.ofSeconds(60));
        assertThat(late.quotas()).singleElement().returns(0L, Quota::remaining);
    }

    @Test
    void aWaitIsReadBehindAllThatIsTooMuch() {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            lines.add("X-RateLimit-Limit-Name" + i);
            lines.add("10");
        }
        lines.add("Retry-After");
        lines.add("60");
        assertThat(read(HintReader.standard(), lines).retryAfter()).isEqualTo(Duration.ofSeconds(60));
    }

    private static RateHints read(HintReader reader, List<String> lines) {
        return reader.read(Head.of(429, lines.toArray(String[]::new)), 0);
    }
}
