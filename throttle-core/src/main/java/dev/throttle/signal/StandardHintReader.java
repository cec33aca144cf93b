package dev.throttle.signal;

/** The standard reader. */
final class StandardHintReader implements HintReader {

    static final StandardHintReader INSTANCE = new StandardHintReader();

    private StandardHintReader() {}

    @Override
    public RateHints read(ResponseHead response, long receivedAtMillis) {
        return RateHints.NONE;
    }
}
