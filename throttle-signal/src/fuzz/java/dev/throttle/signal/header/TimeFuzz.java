package dev.throttle.signal.header;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.junit.jupiter.params.provider.MethodSource;

/** @see TimeTarget */
class TimeFuzz {

    @MethodSource("dev.throttle.signal.Corpus#times")
    @FuzzTest(maxDuration = "${fuzz.time}")
    void times(byte[] input) {
        TimeTarget.check(input);
    }
}
