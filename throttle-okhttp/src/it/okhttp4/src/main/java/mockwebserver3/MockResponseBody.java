package mockwebserver3;

import java.io.IOException;
import okio.BufferedSink;

/** OkHttp 4's server writes no such bodies over HTTP/1; see {@link MockWebServer}. */
public interface MockResponseBody {

    long getContentLength();

    void writeTo(BufferedSink sink) throws IOException;
}
