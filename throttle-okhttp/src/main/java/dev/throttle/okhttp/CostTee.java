package dev.throttle.okhttp;

import dev.throttle.client.BodyCosts;
import java.io.IOException;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.ForwardingSource;
import okio.Okio;
import okio.Source;

/** Listens to a body while the caller reads it, for what its end tells about the cost of the call. */
final class CostTee extends ForwardingSource {

    private final BodyCosts costs;
    private final Buffer.UnsafeCursor cursor = new Buffer.UnsafeCursor();

    private CostTee(Source body, BodyCosts costs) {
        super(body);
        this.costs = costs;
    }

    /**
     * {@return the response with a body that is listened to}
     *
     * @param response as the caller would get it: not packed, if OkHttp has unpacked it
     */
    static Response listen(Response response, BodyCosts costs) {
        ResponseBody body = response.body();
        CostTee tee = new CostTee(body.source(), costs);
        return response.newBuilder()
                .body(ResponseBody.create(Okio.buffer(tee), body.contentType(), body.contentLength()))
                .build();
    }

    @Override
    public long read(Buffer sink, long byteCount) throws IOException {
        long read;
        try {
            read = super.read(sink, byteCount);
        } catch (Throwable e) {
            costs.end();
            throw e;
        }
        if (read == -1) {
            costs.end();
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
                costs.accept(view.data, view.start, view.end - view.start);
            } while (view.next() != -1);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            super.close();
        } finally {
            costs.end();
        }
    }
}
