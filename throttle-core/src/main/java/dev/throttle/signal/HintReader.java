package dev.throttle.signal;

/**
 * Reads what a response says about the server's limits. A reader never throws on what a server sent: what it cannot
 * understand counts as not said. Implementations are thread-safe.
 */
@FunctionalInterface
public interface HintReader {

    /** {@return the default reader} */
    static HintReader standard() {
        return StandardHintReader.INSTANCE;
    }

    /** {@return a builder of readers for servers that mean something else than what they write suggests} */
    static HintReaderBuilder builder() {
        return new HintReaderBuilder();
    }

    /**
     * Reads the hints of a response.
     *
     * @param response status and headers
     * @param receivedAtMillis wall-clock time of its arrival in milliseconds since the epoch, used where the server
     *     named an instant but sent no {@code Date} of its own to compare with
     * @return the hints; {@link RateHints#NONE} if there are none
     */
    RateHints read(ResponseHead response, long receivedAtMillis);
}
