package mockwebserver3;

/** See {@link MockWebServer}. */
public interface SocketEffect {

    final class CloseSocket implements SocketEffect {}

    record CloseStream(int http2ErrorCode) implements SocketEffect {}

    final class Stall implements SocketEffect {

        public static final Stall INSTANCE = new Stall();

        private Stall() {}
    }
}
