package dev.throttle.signal.header;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.junit.jupiter.params.provider.MethodSource;

/** @see StructuredTarget */
class StructuredFuzz {

    @MethodSource("dev.throttle.signal.Corpus#structuredFields")
    @FuzzTest(maxDuration = "${fuzz.time}")
    void structuredFields(byte[] input) {
        StructuredTarget.check(input);
    }
}
