package dev.throttle.signal.usage;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.junit.jupiter.params.provider.MethodSource;

/** @see RequestTarget */
class RequestFuzz {

    @MethodSource("dev.throttle.signal.Corpus#requests")
    @FuzzTest(maxDuration = "${fuzz.time}")
    void requests(byte[] input) {
        RequestTarget.check(input);
    }
}
