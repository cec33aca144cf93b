package dev.throttle.lab.server;

/**
 * What becomes of clients that go on asking after a refusal. Both are settings of &#64;fastify/rate-limit 11.
 *
 * @param bansAfter after how many refusals in a row everything is answered with 403 until the server accepts requests
 *     again, its setting {@code ban}; 0 for a time that doubles with each refusal in a row, its
 *     {@code exponentialBackoff}: a window after the first one. All count that come meanwhile
 */
public record Lockout(long bansAfter) {

    /** A time that doubles. */
    public static final Lockout DOUBLE = new Lockout(0);

    boolean doubles() {
        return bansAfter == 0;
    }
}
