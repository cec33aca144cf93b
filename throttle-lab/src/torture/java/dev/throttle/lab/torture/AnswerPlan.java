package dev.throttle.lab.torture;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What the server does with one request of a call.
 *
 * @param status its status
 * @param headers names and values in turn
 * @param bodyBytes how long its body is
 * @param isChunked whether it is sent in chunks
 * @param delayMillis how long the server thinks before
 * @param fault what goes wrong
 * @param faultDelayMillis how long it hangs before that
 * @param location which key it redirects to; negative if it does not
 */
record AnswerPlan(
        int status,
        List<String> headers,
        int bodyBytes,
        boolean isChunked,
        int delayMillis,
        Fault fault,
        int faultDelayMillis,
        int location) {

    private static final int SUBJECT = 100;
    private static final int KEYS = 300;
    private static final Integer[] REFUSALS = {429, 503, 503, 529, 403, 408, 502, 504};
    private static final Integer[] OTHERS = {200, 201, 404, 500, 401, 418};
    private static final Integer[] REDIRECTS = {302, 307, 301};

    /** What goes wrong with an answer. Each ends soon: no client is left without one for ever. */
    enum Fault {
        NOTHING,
        /** It comes after a pause in the middle of its head, or of its body. */
        STALL_IN_HEAD,
        STALL_IN_BODY,
        /** The connection is closed after it, which nothing has announced. */
        CLOSE_AFTERWARDS,
        /** The connection is closed in the middle. */
        CLOSE_AT_ONCE,
        CLOSE_IN_HEAD,
        CLOSE_IN_BODY,
        RESET_IN_BODY,
        NO_HTTP,
        /** HTTP/2: the stream is refused, or reset; the connection says that it goes. */
        REFUSED_STREAM,
        ENHANCE_YOUR_CALM,
        INTERNAL_ERROR,
        GO_AWAY
    }

    private static final Fault[] HTTP1 = {
        Fault.STALL_IN_HEAD,
        Fault.STALL_IN_BODY,
        Fault.CLOSE_AFTERWARDS,
        Fault.CLOSE_AT_ONCE,
        Fault.CLOSE_IN_HEAD,
        Fault.CLOSE_IN_BODY,
        Fault.RESET_IN_BODY,
        Fault.NO_HTTP
    };
    private static final Fault[] HTTP2 = {
        Fault.STALL_IN_HEAD, Fault.STALL_IN_BODY, Fault.REFUSED_STREAM, Fault.ENHANCE_YOUR_CALM, Fault.INTERNAL_ERROR
    };
    /** These end every other stream of the connection too, so they are rarer. */
    private static final Fault[] WHOLE_CONNECTION = {Fault.GO_AWAY, Fault.CLOSE_AT_ONCE, Fault.CLOSE_IN_BODY};

    static AnswerPlan of(long seed, long number, int attempt, Wire wire) {
        Dice dice = new Dice(seed, number, SUBJECT + attempt);
        int kind = dice.below(1000);
        boolean isRefused = kind < 110;
        boolean isRedirected = kind >= 110 && kind < 140;
        Fault fault = Fault.NOTHING;
        if (dice.perMille(60)) {
            fault = dice.oneOf(wire == Wire.HTTP2_TLS ? HTTP2 : HTTP1);
        } else if (wire == Wire.HTTP2_TLS && dice.perMille(4)) {
            fault = dice.oneOf(WHOLE_CONNECTION);
        }
        int status = isRefused
                ? dice.weighted(REFUSALS, 450, 150)
                : isRedirected ? dice.oneOf(REDIRECTS) : dice.weighted(OTHERS, 940);
        List<String> headers =
                isRefused ? Hints.ofRefusal(dice) : dice.perMille(250) ? Hints.ofAnswer(dice) : List.<String>of();
        return new AnswerPlan(
                status,
                headers,
                status == 200 && dice.perMille(10) ? 200_000 : dice.perMille(300) ? 0 : 10 + dice.spread(4_000),
                dice.perMille(400),
                dice.perMille(100) ? dice.spread(20) : 0,
                fault,
                dice.spread(40),
                isRedirected ? dice.below(KEYS) : -1);
    }

    boolean isRefusal() {
        return location < 0 && (status == 429 || status == 503 || status == 529);
    }

    /** {@return the body that goes with it, by which a caller sees that it is the right one and whole} */
    byte[] body(long number, int attempt) {
        byte[] body = new byte[bodyBytes];
        byte[] head = (number + "." + attempt + ";").getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < body.length; i++) {
            body[i] = i < head.length ? head[i] : (byte) ('a' + (i + number) % 26);
        }
        return body;
    }
}
