package dev.throttle.signal;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.junit.jupiter.params.provider.MethodSource;

/** @see HeaderTarget */
class HeaderFuzz {

    @MethodSource("dev.throttle.signal.Corpus#headers")
    @FuzzTest(maxDuration = "${fuzz.time}")
    void headers(byte[] input) {
        HeaderTarget.check(input);
    }
}
