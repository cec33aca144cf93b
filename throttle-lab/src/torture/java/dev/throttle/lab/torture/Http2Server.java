package dev.throttle.lab.torture;

import dev.throttle.lab.torture.Attempts.Planned;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.net.ssl.SSLSocketFactory;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import mockwebserver3.SocketEffect;
import okhttp3.Protocol;
import okio.Buffer;

/** A server of HTTP/2 over TLS that does to each stream what the plan of the request says. */
final class Http2Server implements Closeable {

    private static final int INTERNAL_ERROR = 2;
    private static final int REFUSED_STREAM = 7;
    private static final int ENHANCE_YOUR_CALM = 11;

    /** Held, or their levels would be forgotten: they tell of every connection that a client gives up. */
    private static final List<Logger> QUIET = List.of(Logger.getLogger("mockwebserver3"), Logger.getLogger("okhttp3"));

    private final Attempts attempts;
    private final ScaledTime time;
    private final MockWebServer server = new MockWebServer();

    Http2Server(Attempts attempts, ScaledTime time, OpenSockets sockets, SSLSocketFactory tls) throws IOException {
        this.attempts = attempts;
        this.time = time;
        QUIET.forEach(logger -> logger.setLevel(Level.OFF));
        server.setServerSocketFactory(sockets);
        server.useHttps(tls);
        server.setProtocols(List.of(Protocol.HTTP_2, Protocol.HTTP_1_1));
        server.setBodyLimit(0);
        server.setDispatcher(new Dispatcher() {
            @Override
            public MockResponse dispatch(RecordedRequest request) throws InterruptedException {
                server.takeRequest(0, TimeUnit.MILLISECONDS); // or it would keep them all
                return answer(request);
            }
        });
        server.start(InetAddress.getLoopbackAddress(), 0);
    }

    int port() {
        return server.getPort();
    }

    private MockResponse answer(RecordedRequest request) {
        Planned answer = attempts.answer(request.getUrl().encodedPath(), Wire.HTTP2_TLS);
        AnswerPlan plan = answer.plan();
        long now = time.currentTimeMillis();
        MockResponse.Builder response = new MockResponse.Builder()
                .code(plan.status())
                .addHeader("Date", Hints.date(now))
                .addHeader(Servers.LENGTH, plan.bodyBytes());
        for (int i = 0; i < plan.headers().size(); i += 2) {
            response.addHeader(plan.headers().get(i), Hints.dated(plan.headers().get(i + 1), now));
        }
        if (plan.location() >= 0) {
            response.addHeader(
                    "Location", answer.location(Wire.HTTP2_TLS, request.getUrl().host(), port()));
        }
        response.body(new Buffer().write(answer.body()));
        if (plan.delayMillis() > 0) {
            response.headersDelay(plan.delayMillis(), TimeUnit.MILLISECONDS);
        }
        addFault(response, plan);
        return response.build();
    }

    private static void addFault(MockResponse.Builder response, AnswerPlan plan) {
        switch (plan.fault()) {
            case STALL_IN_HEAD ->
                response.headersDelay(plan.delayMillis() + plan.faultDelayMillis(), TimeUnit.MILLISECONDS);
            case STALL_IN_BODY -> response.bodyDelay(plan.faultDelayMillis(), TimeUnit.MILLISECONDS);
            case REFUSED_STREAM -> response.onResponseStart(new SocketEffect.CloseStream(REFUSED_STREAM));
            case ENHANCE_YOUR_CALM -> response.onResponseStart(new SocketEffect.CloseStream(ENHANCE_YOUR_CALM));
            case INTERNAL_ERROR -> response.onResponseBody(new SocketEffect.CloseStream(INTERNAL_ERROR));
            case GO_AWAY -> response.onResponseEnd(SocketEffect.ShutdownConnection.INSTANCE);
            case CLOSE_AT_ONCE -> response.onResponseStart(new SocketEffect.CloseSocket());
            case CLOSE_IN_BODY -> response.onResponseBody(new SocketEffect.CloseSocket());
            default -> {}
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
