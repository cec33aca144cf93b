package dev.throttle.lab.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.SocketFactory;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a bare client of OkHttp loses by itself: when this fails, OkHttp has been mended, and the exception can go. */
class HeldConnectionsTest {

    private static final int LONG = 20_000;

    private final MockWebServer server = new MockWebServer();
    private final AtomicLong received = new AtomicLong();
    private final CountDownLatch mostIsLookedAt = new CountDownLatch(1);
    /** The thread whose next write is slow. Another one may acknowledge the server's settings at the same time. */
    private volatile @Nullable Thread slow;

    @BeforeEach
    void start() throws IOException {
        server.setProtocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE));
        server.start(InetAddress.getLoopbackAddress(), 0);
        server.enqueue(new MockResponse.Builder().body("one").build());
        server.enqueue(new MockResponse.Builder().body("a".repeat(LONG)).build());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aCallThatIsCancelledBetweenItsHeadAndItsAnswerHoldsItsConnectionForEver() throws Exception {
        OkHttpClient client = client(new EventListener() {
            @Override
            public void requestHeadersStart(Call call) {
                if (call.request().tag(String.class) != null) {
                    slow = Thread.currentThread(); // the head goes, and its answer comes before the call goes on
                    call.cancel();
                }
            }
        });
        assertThat(get(client, null)).isEqualTo("one");
        assertThatThrownBy(() -> get(client, "cancelled"))
                .isInstanceOf(IOException.class)
                .hasMessage("Canceled");

        HeldConnections held = new HeldConnections(client.connectionPool());
        assertThat(client.connectionPool().connectionCount()).isOne();
        assertThat(client.connectionPool().idleConnectionCount()).isZero();
        client.connectionPool().evictAll();
        assertThat(client.connectionPool().connectionCount()).isOne();
        assertThat(held.toString()).contains("isCanceled=true, isRequestOpen=true, isResponseOpen=false");
        assertThat(held.count()).isZero();
        assertThat(held.closeLost()).isOne();
    }

    @Test
    void anotherCallThatHoldsAConnectionIsCounted() throws Exception {
        OkHttpClient client = client(EventListener.NONE);
        Call call =
                client.newCall(new Request.Builder().url(server.url("/held")).build());
        try (Response response = call.execute()) {
            HeldConnections held = new HeldConnections(client.connectionPool());
            assertThat(held.count()).isOne();
            assertThat(held.toString()).contains("/held", "isResponseOpen=true");
            call.cancel();
            assertThat(held.count()).isOne();
            assertThat(held.closeLost()).isZero();
            assertThat(response.code()).isEqualTo(200);
        }
        assertThat(new HeldConnections(client.connectionPool()).count()).isZero();
    }

    private OkHttpClient client(EventListener events) {
        return new OkHttpClient.Builder()
                .protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE))
                .eventListener(events)
                .retryOnConnectionFailure(false)
                .socketFactory(new SlowSockets())
                .build();
    }

    private String get(OkHttpClient client, String tag) throws IOException {
        Request request = new Request.Builder()
                .url(server.url("/"))
                .tag(String.class, tag)
                .build();
        try (Response response = client.newCall(request).execute()) {
            return response.body().string();
        }
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /** Sockets that, if so asked, return from a write when most of the answer has been read and looked at. */
    private final class SlowSockets extends SocketFactory {

        @Override
        public Socket createSocket() {
            return new Socket() {
                @Override
                public InputStream getInputStream() throws IOException {
                    return new FilterInputStream(super.getInputStream()) {
                        @Override
                        public int read(byte[] bytes, int from, int count) throws IOException {
                            if (received.get() > LONG / 2) { // whoever reads more has done with what there was
                                mostIsLookedAt.countDown();
                            }
                            int read = in.read(bytes, from, count);
                            received.addAndGet(read);
                            return read;
                        }
                    };
                }

                @Override
                public OutputStream getOutputStream() throws IOException {
                    return new FilterOutputStream(super.getOutputStream()) {
                        @Override
                        public void write(byte[] bytes, int from, int count) throws IOException {
                            out.write(bytes, from, count);
                            if (slow == Thread.currentThread()) {
                                slow = null;
                                await(mostIsLookedAt);
                            }
                        }
                    };
                }
            };
        }

        @Override
        public Socket createSocket(String host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress local, int localPort) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress address, int port, InetAddress local, int localPort) {
            throw new UnsupportedOperationException();
        }
    }
}
