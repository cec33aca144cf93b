package dev.throttle.lease.file;

import java.io.IOException;

/** A folder or file is not what it should be, and trying again does not help. */
final class RefusedException extends IOException {

    private static final long serialVersionUID = 1;

    RefusedException(String message) {
        super(message);
    }
}
