package dev.throttle.signal.usage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.signal.usage.Samples.Sample;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What bodies tell about their cost, however they come. */
class BodyTailTest {

    static List<Sample> samples() {
        return Samples.all();
    }

    @ParameterizedTest
    @MethodSource("samples")
    void aBodyTellsItsCostInWhateverPiecesItComes(Sample sample) {
        for (int piece : new int[] {1, 7, 1000, 4095, 4096, 4097, 1 << 20}) {
            assertThat(Samples.read(sample.type(), null, sample.bytes(), piece).cost())
                    .as("pieces of %d", piece)
                    .isEqualTo(sample.cost());
        }
    }

    @ParameterizedTest
    @MethodSource("samples")
    void aPackedBodyTellsTheSame(Sample sample) throws Exception {
        byte[] gzip = Samples.gzip(sample.bytes());
        ByteArrayOutputStream zlib = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(zlib)) {
            out.write(sample.bytes());
        }
        ByteArrayOutputStream raw = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(raw, new Deflater(6, true))) {
            out.write(sample.bytes());
        }
        for (int piece : new int[] {1, 13, 1 << 20}) {
            assertThat(Samples.read(sample.type(), "gzip", gzip, piece)).isEqualTo(sample.read());
            assertThat(Samples.read(sample.type(), "GZIP", gzip, piece)).isEqualTo(sample.read());
            assertThat(Samples.read(sample.type(), "deflate", zlib.toByteArray(), piece))
                    .isEqualTo(sample.read());
            assertThat(Samples.read(sample.type(), "deflate", raw.toByteArray(), piece))
                    .isEqualTo(sample.read());
        }
    }

    @Test
    void tokensFromGroqsCacheDoNotCount() {
        String usage = "{\"usage\":{%s\"prompt_tokens\":100,\"completion_tokens\":20,\"total_tokens\":120,"
                + "\"prompt_tokens_details\":{\"cached_tokens\":64}}}";
        Cost groq = Cost.of(Quota.INPUT_TOKENS, 36).and(Quota.OUTPUT_TOKENS, 20).and(Quota.TOKENS, 56);
        Cost other =
                Cost.of(Quota.INPUT_TOKENS, 100).and(Quota.OUTPUT_TOKENS, 20).and(Quota.TOKENS, 120);
        assertThat(cost(usage.formatted("\"queue_time\":0.01,"))).isEqualTo(groq);
        assertThat(cost(usage.formatted(""))).isEqualTo(other);
    }

    private static Cost cost(String body) {
        return Samples.read("application/json", null, body.getBytes(StandardCharsets.UTF_8), 1000)
                .cost();
    }

    @Test
    void aGzipHeaderMayHaveEverything() {
        byte[] body = "{\"usage\":{\"total_tokens\":7}}".getBytes(StandardCharsets.UTF_8);
        byte[] plain = Samples.gzip(body);
        ByteArrayOutputStream full = new ByteArrayOutputStream();
        full.writeBytes(new byte[] {0x1f, (byte) 0x8b, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 0});
        full.writeBytes(new byte[] {3, 0, 9, 9, 9}); // an extra field
        full.writeBytes("name\0comment\0".getBytes(StandardCharsets.US_ASCII));
        full.writeBytes(new byte[] {1, 2}); // a check of the header
        full.write(plain, 10, plain.length - 10);
        for (int piece : new int[] {1, 5, 1000}) {
            assertThat(Samples.read("application/json", "gzip", full.toByteArray(), piece)
                            .cost())
                    .isEqualTo(Cost.of(Quota.TOKENS, 7));
        }
    }

    @Test
    void whatIsNeitherJsonNorEventsNorUnpackableIsNotLookedAt() {
        assertThat(BodyTail.of("text/html", null)).isNull();
        assertThat(BodyTail.of(null, null)).isNull();
        assertThat(BodyTail.of("application/json", "br")).isNull();
        assertThat(BodyTail.of("application/json", "zstd")).isNull();
        assertThat(BodyTail.of("application/json", "gzip, br")).isNull();
        assertThat(BodyTail.of("application/vnd.api+JSON", " identity ")).isNotNull();
        assertThat(BodyTail.of("Text/Event-Stream", "x-gzip")).isNotNull();
    }

    @Test
    void brokenGzipTellsNothingAndABombIsGivenUp() {
        Sample sample = samples().get(0);
        byte[] broken = Samples.gzip(sample.bytes());
        Arrays.fill(broken, 20, 60, (byte) 0xff);
        assertThat(Samples.read(sample.type(), "gzip", broken, 100)).isSameAs(BodyReport.NONE);
        assertThat(Samples.read(sample.type(), "gzip", sample.bytes(), 100)).isSameAs(BodyReport.NONE);
        byte[] bomb = new byte[32 << 20];
        byte[] end = sample.bytes();
        System.arraycopy(end, 0, bomb, bomb.length - end.length, end.length);
        assertThat(Samples.read(sample.type(), "gzip", Samples.gzip(bomb), 4096))
                .isSameAs(BodyReport.NONE);
    }

    @Test
    void buffersStayAsTheyAreAndMayLieAnywhere() {
        Sample sample = samples().get(1);
        byte[] padded = new byte[sample.bytes().length + 20];
        System.arraycopy(sample.bytes(), 0, padded, 10, sample.bytes().length);
        ByteBuffer inArray = ByteBuffer.wrap(padded, 10, sample.bytes().length);
        ByteBuffer direct = ByteBuffer.allocateDirect(sample.bytes().length);
        direct.put(sample.bytes()).flip();
        for (ByteBuffer buffer : List.of(inArray, inArray.slice(), inArray.asReadOnlyBuffer(), direct)) {
            int position = buffer.position();
            BodyTail tail = BodyTail.of(sample.type(), null);
            assertThat(tail).isNotNull();
            tail.accept(buffer);
            assertThat(buffer.position()).isEqualTo(position);
            assertThat(tail.finish(Samples.NOW).cost()).isEqualTo(sample.cost());
            tail.accept(buffer); // too late
            assertThat(tail.finish(Samples.NOW)).isSameAs(BodyReport.NONE);
        }
    }

    @Test
    void shopifysPointsAreABucketThatOnlyTheBodyTells() {
        BodyReport report = read(Samples.shopify("", "46", 954));
        assertThat(report.quotas())
                .containsExactly(new Quota(
                        "points", 1000L, 954L, Duration.ofMillis(920), Duration.ofSeconds(20), Quota.POINTS, null));
        assertThat(report.refused()).isFalse();
    }

    @Test
    void aRefusalMayHaveTheStatusOfASuccess() {
        String error = "{\"errors\":[{\"message\":\"Throttled\",\"extensions\":{\"code\":\"THROTTLED\"}}],";
        BodyReport shopify = read(error + Samples.shopify("", "null", 11).substring(1));
        assertThat(shopify.refused()).isTrue();
        assertThat(shopify.cost()).isNull();
        assertThat(shopify.retryAfter()).isEqualTo(Duration.ofMillis(1800)); // 90 points at 50 a second
        BodyReport gitHub = read("{\"errors\": [{\"type\": \"RATE_LIMITED\", \"message\": \"exceeded\"}]}");
        assertThat(gitHub).isEqualTo(new BodyReport(null, List.of(), true, null));
        assertThat(read("{\"data\":{\"orders\":[{\"code\":\"THROTTLED\"}]}}").isEmpty())
                .isTrue();
        assertThat(read("{\"errors\":[{\"message\":\"\\\"code\\\":\\\"THROTTLED\\\"\"}]}")
                        .isEmpty())
                .isTrue();
    }

    @Test
    void gitHubTellsWhatIsLeftIfItIsAsked() {
        BodyReport report = samples().get(samples().size() - 1).read();
        assertThat(report.quotas())
                .containsExactly(new Quota("graphql", 5000L, 4997L, Duration.ofSeconds(60), null, Quota.POINTS, null));
    }

    @Test
    void oddNumbersTellNothing() {
        for (String odd : new String[] {
            "-1",
            "1e3",
            "\"7 \"",
            "null",
            "true",
            "{}",
            "[7]",
            "9999999999999999999999",
            "7.",
            ".7",
            "1000000000001",
            "0",
            "NaN",
            "0x7",
            "7,",
            "7"
        }) {
            BodyReport report = read("{\"usage\":{\"total_tokens\":" + odd + "}}");
            assertThat(report.cost()).as(odd).isEqualTo(odd.equals("7") ? Cost.of(Quota.TOKENS, 7) : null);
        }
        assertThat(read("{\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":6,\"total_tokens\":1}}")
                        .cost())
                .isEqualTo(Cost.of(Quota.INPUT_TOKENS, 5)
                        .and(Quota.OUTPUT_TOKENS, 6)
                        .and(Quota.TOKENS, 11));
    }

    private static BodyReport read(String json) {
        return Samples.read("application/json", null, json.getBytes(StandardCharsets.UTF_8), 1000);
    }

    /** Cut off anywhere, with any bytes changed, packed or not. */
    @ParameterizedTest
    @MethodSource("samples")
    void nothingThatCanHappenToABodyMakesItThrowOrTellNonsense(Sample sample) {
        Random random = new Random(sample.name().hashCode());
        byte[] signs = "{}[]\",:\\0123456789eE-.\0\u00ff \n".getBytes(StandardCharsets.ISO_8859_1);
        for (int round = 0; round < 400; round++) {
            boolean packed = round % 4 == 0;
            byte[] whole = packed ? Samples.gzip(sample.bytes()) : sample.bytes();
            int from = round % 3 == 0 && !packed ? random.nextInt(whole.length) : 0;
            byte[] bytes = Arrays.copyOfRange(whole, from, from + 1 + random.nextInt(whole.length - from));
            for (int i = random.nextInt(10); i > 0; i--) {
                // most of the changes near the end, where it matters
                int at = Math.max(0, bytes.length - 1 - random.nextInt(1 + random.nextInt(bytes.length)));
                bytes[at] = random.nextBoolean() ? signs[random.nextInt(signs.length)] : (byte) random.nextInt();
            }
            String encoding = packed ? "gzip" : random.nextInt(50) == 0 ? "deflate" : null;
            BodyReport report = Samples.read(sample.type(), encoding, bytes, 1 + random.nextInt(9000));
            Cost cost = report.cost();
            if (cost != null) {
                assertThat(cost.requests()).isEqualTo(1);
                cost.units().forEach(unit -> assertThat(cost.amount(unit)).isBetween(0L, Cost.MAX_AMOUNT));
            }
            for (Quota quota : report.quotas()) {
                assertThat(quota.remaining()).isBetween(0L, Cost.MAX_AMOUNT);
                assertThat(quota.reset() == null || !quota.reset().isNegative()).isTrue();
            }
        }
    }

    /** A body whose end is cut off must not be taken for one that has told everything. */
    @ParameterizedTest
    @MethodSource("samples")
    void aCutBodyTellsTheWholeCostOrLess(Sample sample) {
        byte[] bytes = sample.bytes();
        for (int length = Math.max(0, bytes.length - 700); length < bytes.length; length++) {
            Cost cost = Samples.read(sample.type(), null, Arrays.copyOf(bytes, length), 1 << 20)
                    .cost();
            if (cost != null && sample.cost() != null) {
                for (String unit : cost.units()) {
                    assertThat(cost.amount(unit))
                            .isLessThanOrEqualTo(sample.cost().amount(unit));
                }
            }
        }
    }

    @Test
    void theWorkIsBoundedWhateverComes() {
        String nested = "{\"usage\":".repeat(400) + "{\"errors\":[".repeat(100);
        for (String body : List.of(nested, "\"usage\"".repeat(600), "[".repeat(4096), "\\\"".repeat(2048))) {
            assertThat(read(body).isEmpty()).isTrue();
        }
    }

    @Test
    void pathsOfGraphQlAreKnown() {
        assertThat(BodyTail.isGraphQl("/admin/api/2025-07/graphql.json")).isTrue();
        assertThat(BodyTail.isGraphQl("GraphQL")).isTrue();
        assertThat(BodyTail.isGraphQl("/v1/graph")).isFalse();
    }
}
