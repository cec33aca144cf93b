package dev.throttle;

import dev.throttle.signal.ResponseHead;

/** Responses as an adapter shows them. */
final class Heads {

    private Heads() {}

    static ResponseHead status(int status, String... namesAndValues) {
        return new ResponseHead() {
            @Override
            public int status() {
                return status;
            }

            @Override
            public void forEachHeader(HeaderVisitor visitor) {
                for (int i = 0; i < namesAndValues.length; i += 2) {
                    visitor.visit(namesAndValues[i], namesAndValues[i + 1]);
                }
            }
        };
    }
}
