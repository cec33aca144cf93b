package dev.throttle.lab;

import java.io.IOException;

/** The reader of stdout has gone, such as {@code head}. */
final class ClosedOutputException extends IOException {

    private static final long serialVersionUID = 1L;

    ClosedOutputException(IOException cause) {
        super(cause);
    }
}
