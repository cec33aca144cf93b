package dev.throttle.lab.torture;

import java.io.Closeable;
import java.io.IOException;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;

/** The servers of a run, one for each wire, under two names each, and what clients need to trust them. */
final class Servers implements Closeable {

    /** The header that says how long the whole body is. */
    static final String LENGTH = "Planned-Length";

    private static final HeldCertificate CERTIFICATE = new HeldCertificate.Builder()
            .addSubjectAlternativeName("localhost")
            .addSubjectAlternativeName("127.0.0.1")
            .build();

    private final OpenSockets sockets = new OpenSockets();
    private final PlainServer plain;
    private final PlainServer encrypted;
    private final Http2Server http2;

    Servers(Attempts attempts, ScaledTime time) throws IOException {
        HandshakeCertificates own =
                new HandshakeCertificates.Builder().heldCertificate(CERTIFICATE).build();
        plain = new PlainServer(Wire.HTTP1, attempts, time, sockets, null);
        encrypted = new PlainServer(Wire.HTTP1_TLS, attempts, time, sockets, own.sslSocketFactory());
        http2 = new Http2Server(attempts, time, sockets, own.sslSocketFactory());
    }

    static HandshakeCertificates trust() {
        return new HandshakeCertificates.Builder()
                .addTrustedCertificate(CERTIFICATE.certificate())
                .build();
    }

    String url(CallPlan plan) {
        int port = switch (plan.wire()) {
            case HTTP1 -> plain.port();
            case HTTP1_TLS -> encrypted.port();
            case HTTP2_TLS -> http2.port();
        };
        return plan.wire().scheme() + "://" + plan.host() + ":" + port + plan.path();
    }

    int openConnections() {
        return sockets.count();
    }

    /** Closes the connections of clients that cannot end by themselves. */
    void closeConnections() {
        sockets.closeAll();
    }

    @Override
    public String toString() {
        return "Servers[HTTP/1.1 " + plain.port() + ", with TLS " + encrypted.port() + ", HTTP/2 " + http2.port()
                + ", open connections by port " + sockets + "]";
    }

    @Override
    public void close() throws IOException {
        plain.close();
        encrypted.close();
        http2.close();
    }
}
