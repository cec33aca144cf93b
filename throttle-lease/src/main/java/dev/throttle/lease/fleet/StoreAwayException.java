package dev.throttle.lease.fleet;

/** The store is away. It has no stack trace, because it is made for every question meanwhile. */
public final class StoreAwayException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** For a fleet of such a name. */
    public StoreAwayException(String fleet) {
        super("the store of fleet " + fleet + " cannot be reached", null, false, false);
    }
}
