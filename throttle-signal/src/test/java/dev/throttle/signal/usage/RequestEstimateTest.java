package dev.throttle.signal.usage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a request will cost, as far as it tells. */
class RequestEstimateTest {

    private static RequestEstimate of(String json) {
        RequestEstimate estimate = RequestEstimate.of("application/json", json.getBytes(StandardCharsets.UTF_8));
        assertThat(estimate).isNotNull();
        return estimate;
    }

    private static @Nullable Long output(String json) {
        return of(json).maxOutputTokens();
    }

    @Test
    void aTokenForFourBytesAndAsManyAsMayBeWritten() {
        String json =
                "{\"model\":\"gpt-x\",\"messages\":[{\"role\":\"user\",\"content\":\"Hello, world\"}],\"max_tokens\":100}";
        RequestEstimate estimate = of(json);
        long input = (json.length() + 3) / 4;
        assertThat(estimate).isEqualTo(new RequestEstimate(input, 100L, "gpt-x"));
        assertThat(estimate.cost())
                .isEqualTo(Cost.of(Quota.INPUT_TOKENS, input)
                        .and(Quota.OUTPUT_TOKENS, 100)
                        .and(Quota.TOKENS, input + 100));
        assertThat(estimate.cost(30).amount(Quota.TOKENS)).isEqualTo(input + 30);
        assertThat(estimate.cost(3000).amount(Quota.TOKENS)).isEqualTo(input + 100);
    }

    @Test
    void theLargerOfSeveralBoundsCounts() {
        assertThat(output("{\"max_tokens\":10,\"max_completion_tokens\": 50}")).isEqualTo(50);
        assertThat(output("{\"max_output_tokens\":7}")).isEqualTo(7);
        assertThat(output("{\"generationConfig\":{\"temperature\":0.5,\"maxOutputTokens\":800}}"))
                .isEqualTo(800);
        assertThat(output("{\"a\":{\"b\":{\"max_tokens\":5}}}")).isEqualTo(5);
        assertThat(output("{\"a\":{\"b\":{\"c\":{\"max_tokens\":5}}}}")).isNull();
        assertThat(output("{\"max_tokens\":10,\"n\":3}")).isEqualTo(30);
        assertThat(output("{\"max_tokens\":10,\"metadata\":{\"n\":3}}")).isEqualTo(10);
        assertThat(output("{\"max_tokens\":10,\"n\":100000000}")).isEqualTo(1280);
    }

    @Test
    void withoutABoundOnlyWhatIsReadIsKnown() {
        for (String odd :
                new String[] {"{}", "{\"max_tokens\":null}", "{\"max_tokens\":-1}", "{\"max_tokens\":\"9\"}"}) {
            RequestEstimate estimate = of(odd);
            assertThat(estimate.maxOutputTokens()).as(odd).isNull();
            assertThat(estimate.cost()).isEqualTo(Cost.of(Quota.INPUT_TOKENS, estimate.inputTokens()));
        }
        assertThat(output("{\"messages\":[{\"content\":\"\\\"max_tokens\\\": 77\"}]}"))
                .isNull();
        assertThat(of("{\"messages\":[{\"model\":\"no\"}]}").model()).isNull();
    }

    @Test
    void aPictureIsNotReadByTheLetter() {
        String picture = "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUg+/".repeat(10_000);
        assertThat(of("{\"url\":\"" + picture + "\"}").inputTokens()).isBetween(1000L, 1010L);
        String text = "a word or two ".repeat(10_000);
        assertThat(of("{\"text\":\"" + text + "\"}").inputTokens()).isBetween(35_000L, 35_010L);
        assertThat(of("{\"text\":\"" + "漢字".repeat(10_000) + "\"}").inputTokens())
                .isBetween(15_000L, 15_010L);
    }

    @Test
    void onlyTheLengthOfAVeryLongBodyCounts() {
        byte[] body = new byte[RequestEstimate.MAX_BYTES + 1];
        Arrays.fill(body, (byte) 'x');
        assertThat(RequestEstimate.of("application/json", body))
                .isEqualTo(new RequestEstimate(RequestEstimate.MAX_BYTES / 4 + 1, null, null));
        assertThat(RequestEstimate.ofLength(Long.MAX_VALUE - 10).inputTokens()).isEqualTo(Cost.MAX_AMOUNT);
        assertThat(RequestEstimate.of("text/plain", body)).isNull();
        assertThat(RequestEstimate.of(null, body)).isNull();
    }

    @Test
    void noBodyMakesItThrowOrTellNonsense() {
        byte[] json = ("{\"model\":\"gpt-x\",\"messages\":[{\"content\":\"Größe " + "x".repeat(3000)
                        + "\"}],\"max_tokens\":100,\"n\":2,\"generationConfig\":{\"maxOutputTokens\":9}}")
                .getBytes(StandardCharsets.UTF_8);
        byte[] signs = "{}[]\",:\\0123456789eE-. ".getBytes(StandardCharsets.US_ASCII);
        Random random = new Random(1);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = Arrays.copyOf(json, 1 + random.nextInt(json.length));
            for (int i = random.nextInt(12); i > 0; i--) {
                bytes[random.nextInt(bytes.length)] =
                        random.nextBoolean() ? signs[random.nextInt(signs.length)] : (byte) random.nextInt();
            }
            RequestEstimate estimate = RequestEstimate.of("application/json", bytes);
            assertThat(estimate).isNotNull();
            assertThat(estimate.inputTokens()).isBetween(0L, (bytes.length + 3) / 4L);
            for (Cost cost : new Cost[] {estimate.cost(), estimate.cost(100)}) {
                cost.units().forEach(unit -> assertThat(cost.amount(unit)).isBetween(0L, Cost.MAX_AMOUNT));
            }
        }
    }
}
