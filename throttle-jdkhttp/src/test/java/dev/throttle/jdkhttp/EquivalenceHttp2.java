package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.EquivalenceRows.response;

import dev.throttle.fixtures.EquivalenceRow;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import mockwebserver3.MockResponse;
import mockwebserver3.SocketEffect;
import okhttp3.Protocol;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;

/** Rows about HTTP/2 and TLS. */
final class EquivalenceHttp2 {

    private static final HeldCertificate CERTIFICATE =
            new HeldCertificate.Builder().addSubjectAlternativeName("localhost").build();

    private EquivalenceHttp2() {}

    static void addHttp2(List<EquivalenceRow<EquivalenceScene>> rows) {
        for (boolean hasBody : new boolean[] {false, true}) {
            rows.add(new EquivalenceRow<>("HTTP/2, with body " + hasBody, scene -> {
                HttpRequest.Builder request = overHttp2(scene);
                scene.answer(response(200, "over HTTP/2"));
                scene.call((hasBody ? request.POST(BodyPublishers.ofString("sent")) : request).build());
            }));
        }
        rows.add(new EquivalenceRow<>("HTTP/2, stream that is reset", scene -> {
            HttpRequest.Builder request = overHttp2(scene);
            scene.answer(new MockResponse.Builder()
                    .onResponseStart(new SocketEffect.CloseStream(2))
                    .build());
            scene.call(request.build());
        }));
        rows.add(new EquivalenceRow<>("TLS with a server that is not trusted", scene -> {
            HttpRequest.Builder request = overHttp2(scene);
            scene.client(client -> client.sslContext(
                    new HandshakeCertificates.Builder().build().sslContext()));
            scene.answer(response(200, "ok"));
            scene.call(request.build());
            scene.ignoreServer();
        }));
    }

    private static HttpRequest.Builder overHttp2(EquivalenceScene scene) {
        scene.server()
                .useHttps(new HandshakeCertificates.Builder()
                        .heldCertificate(CERTIFICATE)
                        .build()
                        .sslSocketFactory());
        scene.server().setProtocols(List.of(Protocol.HTTP_2, Protocol.HTTP_1_1));
        scene.client(client -> client.version(HttpClient.Version.HTTP_2)
                .sslContext(new HandshakeCertificates.Builder()
                        .addTrustedCertificate(CERTIFICATE.certificate())
                        .build()
                        .sslContext()));
        return HttpRequest.newBuilder(URI.create(scene.uri().toString().replace("http:", "https:")));
    }
}
