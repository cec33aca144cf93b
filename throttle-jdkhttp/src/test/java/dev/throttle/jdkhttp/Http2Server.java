package dev.throttle.jdkhttp;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.logging.Level;
import java.util.logging.Logger;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockWebServer;
import okhttp3.Protocol;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;

/** A server on loopback that speaks HTTP/2 over TLS, and clients that trust it. */
final class Http2Server implements AutoCloseable {

    /** Held, or its level would be forgotten; it tells of every stream that a client resets. */
    private static final Logger LOG = Logger.getLogger("okhttp3.OkHttpClient");

    static {
        LOG.setLevel(Level.WARNING);
    }

    private static final HeldCertificate CERTIFICATE = new HeldCertificate.Builder()
            .addSubjectAlternativeName("localhost")
            .addSubjectAlternativeName("127.0.0.1")
            .build();

    final MockWebServer server = new MockWebServer();

    Http2Server(Dispatcher dispatcher) throws IOException {
        server.useHttps(new HandshakeCertificates.Builder()
                .heldCertificate(CERTIFICATE)
                .build()
                .sslSocketFactory());
        server.setProtocols(java.util.List.of(Protocol.HTTP_2, Protocol.HTTP_1_1));
        server.setDispatcher(dispatcher);
        server.start();
    }

    static HttpClient client() {
        return HttpClient.newBuilder()
                .sslContext(new HandshakeCertificates.Builder()
                        .addTrustedCertificate(CERTIFICATE.certificate())
                        .build()
                        .sslContext())
                .build();
    }

    URI uri() {
        return URI.create("https://127.0.0.1:" + server.getPort() + "/");
    }

    @Override
    public void close() {
        server.close();
    }
}
