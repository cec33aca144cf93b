package dev.throttle.lab.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.http.HttpClient;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.SocketEffect;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A body that does not end is let go only where a bare client of the JDK is known to lose it. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class JdkCallerTest {

    private final MockWebServer server = new MockWebServer();

    @BeforeEach
    void start() throws IOException {
        server.start(InetAddress.getLoopbackAddress(), 0);
        server.enqueue(new MockResponse.Builder()
                .body("half")
                .onResponseBody(SocketEffect.Stall.INSTANCE)
                .build());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static CallPlan plan(Wire wire, CallPlan.Meddling meddling) {
        return plan(Door.JDK_SEND, wire, meddling);
    }

    private static CallPlan plan(Door door, Wire wire, CallPlan.Meddling meddling) {
        return new CallPlan(
                1,
                door,
                wire,
                "localhost",
                1,
                -1,
                false,
                CallPlan.Wish.NOTHING,
                CallPlan.Reading.SLOWLY,
                meddling,
                60_000_000);
    }

    @Test
    void itIsLetGoOnce() throws Exception {
        JdkCaller caller = caller(plan(Wire.HTTP2_TLS, CallPlan.Meddling.TIME_OUT));
        Thread[] thread = new Thread[1];
        CompletableFuture<Ending> ending = run(caller, thread);
        await().until(() -> caller.letGo(thread[0].getStackTrace()));
        assertThat(ending.get().thrown()).isInstanceOf(IOException.class).hasMessage("closed");
        assertThat(caller.letGo(new StackTraceElement[0])).isFalse();
    }

    @Test
    void anotherIsNot() throws Exception {
        for (CallPlan plan : new CallPlan[] {
            plan(Wire.HTTP1, CallPlan.Meddling.TIME_OUT), plan(Wire.HTTP2_TLS, CallPlan.Meddling.NOTHING)
        }) {
            JdkCaller caller = caller(plan);
            Thread[] thread = new Thread[1];
            CompletableFuture<Ending> ending = run(caller, thread);
            await().until(() -> isReading(thread[0]));
            assertThat(caller.letGo(thread[0].getStackTrace())).isFalse();
            assertThat(ending).isNotDone();
            server.enqueue(new MockResponse.Builder()
                    .body("half")
                    .onResponseBody(SocketEffect.Stall.INSTANCE)
                    .build());
        }
    }

    @Test
    void aClientMayNotEndIfACallIsCutOffBetweenTheBeginningOfItsBodyAndItsEnd() {
        for (Wire wire : Wire.values()) {
            JdkCaller caller = new JdkCaller(
                    new CutOffClient(),
                    plan(Door.JDK_SEND_ASYNC, wire, CallPlan.Meddling.CANCEL),
                    wire.scheme() + "://localhost/k1/n1");
            assertThat(caller.mayKeepItsClient()).isFalse();
            caller.cancel();
            assertThat(caller.run().thrown()).isInstanceOf(CancellationException.class);
            assertThat(caller.mayKeepItsClient()).isEqualTo(wire != Wire.HTTP2_TLS);
        }
    }

    private static boolean isReading(@Nullable Thread thread) {
        for (StackTraceElement frame : thread == null ? new StackTraceElement[0] : thread.getStackTrace()) {
            if (frame.getClassName().endsWith("HttpResponseInputStream")) {
                return true;
            }
        }
        return false;
    }

    private JdkCaller caller(CallPlan plan) {
        return new JdkCaller(
                HttpClient.newHttpClient(), plan, server.url("/k1/n1").toString());
    }

    private static CompletableFuture<Ending> run(JdkCaller caller, Thread[] thread) {
        CompletableFuture<Ending> ending = new CompletableFuture<>();
        thread[0] = new Thread(() -> ending.complete(caller.run()));
        thread[0].setDaemon(true);
        thread[0].start();
        return ending;
    }
}
