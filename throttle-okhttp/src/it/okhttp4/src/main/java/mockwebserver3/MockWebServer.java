package mockwebserver3;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Proxy;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.HttpUrl;
import okhttp3.Protocol;

/**
 * The server of OkHttp 4 behind the methods of OkHttp 5's that the tests of the adapter use, as OkHttp 5's does not run
 * with OkHttp 4.
 */
public final class MockWebServer implements Closeable {

    private final okhttp3.mockwebserver.MockWebServer server = new okhttp3.mockwebserver.MockWebServer();
    private final AtomicInteger connections = new AtomicInteger();

    public void start(InetAddress address, int port) throws IOException {
        server.start(address, port);
    }

    public void enqueue(MockResponse response) {
        server.enqueue(response.response);
    }

    public void setDispatcher(Dispatcher dispatcher) {
        server.setDispatcher(new okhttp3.mockwebserver.Dispatcher() {
            @Override
            public okhttp3.mockwebserver.MockResponse dispatch(okhttp3.mockwebserver.RecordedRequest request)
                    throws InterruptedException {
                return dispatcher.dispatch(recorded(request)).response;
            }
        });
    }

    public void setProtocols(List<? extends Protocol> protocols) {
        server.setProtocols(protocols);
    }

    public HttpUrl url(String path) {
        return server.url(path);
    }

    public Proxy getProxyAddress() {
        return server.toProxyAddress();
    }

    public int getRequestCount() {
        return server.getRequestCount();
    }

    public RecordedRequest takeRequest() throws InterruptedException {
        return recorded(server.takeRequest());
    }

    public RecordedRequest takeRequest(long timeout, TimeUnit unit) throws InterruptedException {
        okhttp3.mockwebserver.RecordedRequest request = server.takeRequest(timeout, unit);
        return request == null ? null : recorded(request);
    }

    private RecordedRequest recorded(okhttp3.mockwebserver.RecordedRequest request) {
        if (request.getSequenceNumber() == 0) {
            connections.incrementAndGet();
        }
        return new RecordedRequest(request, connections.get() - 1);
    }

    /** Does not wait for responses that are being written, which OkHttp 4's server does for five seconds. */
    @Override
    public void close() {
        Thread closer = new Thread(this::closeServer);
        closer.setDaemon(true);
        closer.start();
    }

    private void closeServer() {
        try {
            server.close();
        } catch (IOException e) {
            // A response that takes hours is still being written; it ends with the JVM.
        }
    }
}
