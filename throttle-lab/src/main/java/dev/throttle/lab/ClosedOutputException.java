package dev.throttle.lab;

import java.io.IOException;

/** Nobody reads stdout any more. */
final class ClosedOutputException extends IOException {

    private static final long serialVersionUID = 1L;

    ClosedOutputException(IOException cause) {
        super(cause);
    }
}
