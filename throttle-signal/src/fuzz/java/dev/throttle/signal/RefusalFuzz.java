package dev.throttle.signal;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.junit.jupiter.params.provider.MethodSource;

/** @see RefusalTarget */
class RefusalFuzz {

    @MethodSource("dev.throttle.signal.Corpus#refusals")
    @FuzzTest(maxDuration = "${fuzz.time}")
    void refusals(byte[] input) {
        RefusalTarget.check(input);
    }
}
