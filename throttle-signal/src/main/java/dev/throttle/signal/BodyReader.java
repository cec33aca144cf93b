package dev.throttle.signal;

import org.jspecify.annotations.Nullable;

/** Reads the beginning of a body; see {@link BodyClassifier#classify}. */
@FunctionalInterface
interface BodyReader {

    @Nullable Signal read(ResponseHead response, Signal signal, String start);
}
