package dev.throttle.redis;

/** The store is away. It has no stack trace, because it is made for every question meanwhile. */
final class StoreAwayException extends RuntimeException {

    private static final long serialVersionUID = 1;

    StoreAwayException(String fleet) {
        super("the store of fleet " + fleet + " cannot be reached", null, false, false);
    }
}
