package mockwebserver3;

import okhttp3.Headers;
import okio.ByteString;

/** See {@link MockWebServer}. */
public final class RecordedRequest {

    private final okhttp3.mockwebserver.RecordedRequest request;
    private final int connectionIndex;

    RecordedRequest(okhttp3.mockwebserver.RecordedRequest request, int connectionIndex) {
        this.request = request;
        this.connectionIndex = connectionIndex;
    }

    public String getTarget() {
        return request.getPath();
    }

    public String getMethod() {
        return request.getMethod();
    }

    public Headers getHeaders() {
        return request.getHeaders();
    }

    public ByteString getBody() {
        return request.getBody().snapshot();
    }

    /** How many connections had been seen before; right where requests come one after the other. */
    public int getConnectionIndex() {
        return connectionIndex;
    }
}
