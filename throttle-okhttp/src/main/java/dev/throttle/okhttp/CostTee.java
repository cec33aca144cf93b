package dev.throttle.okhttp;

import dev.throttle.internal.Faults;
import dev.throttle.signal.usage.BodyReport;
import dev.throttle.signal.usage.BodyTail;
import dev.throttle.time.TimeSource;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.ForwardingSource;
import okio.Okio;
import okio.Source;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a body while the caller reads it, for what its end tells about the cost of the call. That is reported once:
 * when the body has ended, has failed, or is closed before.
 */
final class CostTee extends ForwardingSource {

    private static final Faults FAULTS = new Faults("reporting the cost of an OkHttp call");

    private final BodyTail tail;
    private final TimeSource time;
    private final Consumer<BodyReport> reports;
    private final AtomicBoolean isReported = new AtomicBoolean();
    private final Buffer.UnsafeCursor cursor = new Buffer.UnsafeCursor();

    private CostTee(Source body, BodyTail tail, TimeSource time, Consumer<BodyReport> reports) {
        super(body);
        this.tail = tail;
        this.time = time;
        this.reports = reports;
    }

    /**
     * {@return the response with a body that is listened to; the same one if there is nothing to hear}
     *
     * @param response as the caller would get it: not packed, if OkHttp has unpacked it
     * @param time the time
     * @param reports hears what the body tells, if it tells anything; must not block
     */
    static Response listen(Response response, TimeSource time, Consumer<BodyReport> reports) {
        if (!response.isSuccessful()) {
            return response;
        }
        BodyTail tail = BodyTail.of(response.header("Content-Type"), encoding(response));
        if (tail == null) {
            return response;
        }
        ResponseBody body = response.body();
        CostTee tee = new CostTee(body.source(), tail, time, reports);
        return response.newBuilder()
                .body(ResponseBody.create(Okio.buffer(tee), body.contentType(), body.contentLength()))
                .build();
    }

    /** What is packed more than once is not unpacked here. */
    private static @Nullable String encoding(Response response) {
        java.util.List<String> codings = response.headers("Content-Encoding");
        return codings.isEmpty() ? null : String.join(",", codings);
    }

    @Override
    public long read(Buffer sink, long byteCount) throws IOException {
        long read;
        try {
            read = super.read(sink, byteCount);
        } catch (Throwable e) {
            report();
            throw e;
        }
        if (read == -1) {
            report();
        } else if (read > 0) {
            look(sink, read);
        }
        return read;
    }

    /** Looks at the bytes that were added last, where they lie. */
    private void look(Buffer sink, long added) {
        try (Buffer.UnsafeCursor view = sink.readUnsafe(cursor)) {
            view.seek(sink.size() - added);
            do {
                tail.accept(view.data, view.start, view.end - view.start);
            } while (view.next() != -1);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            super.close();
        } finally {
            report();
        }
    }

    private void report() {
        if (!isReported.compareAndSet(false, true)) {
            return;
        }
        try {
            BodyReport report = tail.finish(time.currentTimeMillis());
            if (!report.isEmpty()) {
                reports.accept(report);
            }
        } catch (Throwable e) {
            FAULTS.report(e);
        }
    }
}
