package dev.throttle.signal.usage;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.junit.jupiter.params.provider.MethodSource;

/** @see BodyTarget */
class BodyFuzz {

    @MethodSource("dev.throttle.signal.usage.BodyTarget#corpus")
    @FuzzTest(maxDuration = "${fuzz.time}")
    void bodies(byte[] input) {
        BodyTarget.check(input);
    }
}
