package dev.throttle.signal;

import dev.throttle.signal.header.StructuredTarget;
import dev.throttle.signal.header.TimeTarget;
import dev.throttle.signal.usage.BodyTarget;
import dev.throttle.signal.usage.RequestTarget;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What fuzzing has begun with and what it has found: each input is read without harm. */
class CorpusTest {

    @ParameterizedTest
    @MethodSource("dev.throttle.signal.Corpus#headers")
    void headers(byte[] input) {
        HeaderTarget.check(input);
    }

    @ParameterizedTest
    @MethodSource("dev.throttle.signal.Corpus#times")
    void times(byte[] input) {
        TimeTarget.check(input);
    }

    @ParameterizedTest
    @MethodSource("dev.throttle.signal.Corpus#structuredFields")
    void structuredFields(byte[] input) {
        StructuredTarget.check(input);
    }

    @ParameterizedTest
    @MethodSource("dev.throttle.signal.usage.BodyTarget#corpus")
    void bodies(byte[] input) {
        BodyTarget.check(input);
    }

    @ParameterizedTest
    @MethodSource("dev.throttle.signal.Corpus#requests")
    void requests(byte[] input) {
        RequestTarget.check(input);
    }

    @ParameterizedTest
    @MethodSource("dev.throttle.signal.Corpus#refusals")
    void refusals(byte[] input) {
        RefusalTarget.check(input);
    }
}
