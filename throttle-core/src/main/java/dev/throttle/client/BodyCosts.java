package dev.throttle.client;

import dev.throttle.internal.Faults;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.usage.BodyReport;
import dev.throttle.signal.usage.BodyTail;
import dev.throttle.time.TimeSource;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Listens to a body on its way to the caller, for what its end tells about the cost of the call. The door passes it the
 * bytes, and {@linkplain #end() ends} it when the body has ended, has failed, or is given up.
 */
public final class BodyCosts {

    private static final int OK = 200;
    private static final int FIRST_REDIRECT = 300;

    private static final Faults FAULTS = new Faults("reporting the cost of a call");

    /** What the report waits for. */
    private static final int BODY = 1;

    private static final int SENDER = 2;

    private final BodyTail tail;
    private final TimeSource time;
    /** Null at the end: the HTTP client may keep what reads the body, and that must not lead to the call. */
    private volatile @Nullable Consumer<BodyReport> reports;

    private final AtomicInteger missing = new AtomicInteger(BODY);

    private BodyCosts(BodyTail tail, TimeSource time, Consumer<BodyReport> reports) {
        this.tail = tail;
        this.time = time;
        this.reports = reports;
    }

    /**
     * Makes a listener.
     *
     * @param response status and headers, as its body is read
     * @param time the time
     * @param reports receives what the body tells, if it tells anything; must not block
     * @return null if such a response tells no cost
     */
    public static @Nullable BodyCosts of(ResponseHead response, TimeSource time, Consumer<BodyReport> reports) {
        if (response.status() < OK || response.status() >= FIRST_REDIRECT) {
            return null;
        }
        List<String> types = response.headers("Content-Type");
        List<String> codings = response.headers("Content-Encoding");
        BodyTail tail = BodyTail.of(
                types.isEmpty() ? null : types.get(0), codings.isEmpty() ? null : String.join(",", codings));
        return tail == null ? null : new BodyCosts(tail, time, reports);
    }

    /**
     * Listens to more of the body.
     *
     * @param bytes what comes next; its position stays
     */
    public void accept(ByteBuffer bytes) {
        tail.accept(bytes);
    }

    /**
     * Listens to more of the body.
     *
     * @param bytes has what comes next
     * @param offset where that begins
     * @param length how much it is
     */
    public void accept(byte[] bytes, int offset, int length) {
        tail.accept(bytes, offset, length);
    }

    /** Lets the report wait for {@link #senderIsKnown} too. Before the body begins. */
    public void awaitSender() {
        missing.set(BODY | SENDER);
    }

    /** The call knows now which key has sent the body. */
    public void senderIsKnown() {
        happened(SENDER);
    }

    /** The body has ended: reports what it tells, if that is something. Without effect after the first time. */
    public void end() {
        happened(BODY);
    }

    private void happened(int what) {
        Consumer<BodyReport> listener = reports;
        if (missing.getAndUpdate(before -> before & ~what) != what || listener == null) {
            return;
        }
        reports = null;
        try {
            BodyReport report = tail.finish(time.currentTimeMillis());
            if (!report.isEmpty()) {
                listener.accept(report);
            }
        } catch (Throwable e) {
            FAULTS.report(e);
        }
    }
}
