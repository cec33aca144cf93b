package dev.throttle.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.concurrent.CancellationException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestOptionsTest {

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY", "PROPFIND", "REPORT"})
    void idempotenceGoesByTheMethod(String method) {
        assertThat(CallStarter.complete(CallOptions.DEFAULT, method, true).idempotent())
                .isTrue();
        assertThat(CallStarter.complete(CallOptions.DEFAULT.idempotent(false), method, true)
                        .idempotent())
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PATCH", "CONNECT", "get", "MKCOL"})
    void otherMethodsAreIdempotentOnlyIfTheUserSaysSo(String method) {
        assertThat(CallStarter.complete(CallOptions.DEFAULT, method, true).idempotent())
                .isFalse();
        assertThat(CallStarter.complete(CallOptions.DEFAULT.idempotent(true), method, true)
                        .idempotent())
                .isTrue();
    }

    @Test
    void aBodyThatCanBeSentOnceIsSentOnce() {
        assertThat(CallStarter.complete(CallOptions.DEFAULT, "GET", true).replayable())
                .isTrue();
        assertThat(CallStarter.complete(CallOptions.DEFAULT.replayable(true), "GET", false)
                        .replayable())
                .isFalse();
        assertThat(CallStarter.complete(CallOptions.DEFAULT.replayable(false), "GET", true)
                        .replayable())
                .isFalse();
        assertThat(CallStarter.complete(CallOptions.exempt(), "GET", true).isExempt())
                .isTrue();
    }

    @Test
    void whatJavaItselfThrowsIsJudgedAlikeForAllClients() {
        assertThat(FailureKind.of(new ConnectException("refused"))).isEqualTo(FailureKind.NOT_CONNECTED);
        assertThat(FailureKind.of(new UnknownHostException("a"))).isEqualTo(FailureKind.PASSING);
        assertThat(FailureKind.of(new EOFException())).isEqualTo(FailureKind.NO_ANSWER);
        assertThat(FailureKind.of(new SocketTimeoutException())).isEqualTo(FailureKind.FATAL);
        assertThat(FailureKind.of(new SSLHandshakeException("no"))).isEqualTo(FailureKind.FATAL);
        assertThat(FailureKind.of(new ProtocolException())).isEqualTo(FailureKind.FATAL);
        assertThat(FailureKind.of(new InterruptedIOException())).isEqualTo(FailureKind.CANCELLED);
        assertThat(FailureKind.of(new CancellationException())).isEqualTo(FailureKind.CANCELLED);
        assertThat(FailureKind.of(new InterruptedException())).isEqualTo(FailureKind.CANCELLED);
        assertThat(FailureKind.of(new IllegalArgumentException())).isEqualTo(FailureKind.CANCELLED);
        assertThat(FailureKind.of(new IOException("stream was reset"))).isNull();
    }

    @Test
    void aClientThatDoesNotRepeatFaultsStillRepeatsWhatWasNotProcessed() {
        assertThat(FailureKind.PASSING.withoutRepetition()).isEqualTo(FailureKind.FATAL);
        assertThat(FailureKind.OVERLOAD.withoutRepetition().isPassing()).isFalse();
        assertThat(FailureKind.OVERLOAD.withoutRepetition().signal().outcome()).isEqualTo(Outcome.BUSY);
        assertThat(FailureKind.REFUSED.withoutRepetition()).isEqualTo(FailureKind.REFUSED);
    }

    @Test
    void whatTheUserSaysOfTheCostGoesBeforeWhatTheRequestShows() {
        CallOptions options = CallOptions.DEFAULT
                .cost(Cost.of("a", 1))
                .estimate(Cost.of("b", 2))
                .profile("own");
        KeyedCall own = call(options);
        own.derive(Cost.of("b", 3).and("c", 3), "derived");
        assertThat(own.options().cost()).isEqualTo(Cost.of("a", 1));
        assertThat(own.options().estimate()).isEqualTo(Cost.of("b", 2).and("c", 3));
        assertThat(own.options().profile()).isEqualTo("own");
        KeyedCall derived = call(CallOptions.DEFAULT);
        derived.derive(null, "derived");
        assertThat(derived.options().estimate()).isNull();
        assertThat(derived.options().profile()).isEqualTo("derived");
    }

    private static KeyedCall call(CallOptions options) {
        return new KeyedCall(key -> Throttle.create(), "key", CallStarter.complete(options, "POST", true));
    }
}
