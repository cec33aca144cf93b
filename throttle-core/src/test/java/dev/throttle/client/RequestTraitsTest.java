package dev.throttle.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
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

class RequestTraitsTest {

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY", "PROPFIND", "REPORT"})
    void idempotenceGoesByTheMethod(String method) {
        assertThat(RequestTraits.of(method, true, CallOptions.DEFAULT).isIdempotent())
                .isTrue();
        assertThat(RequestTraits.of(method, true, CallOptions.DEFAULT.idempotent(false))
                        .isIdempotent())
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PATCH", "CONNECT", "get", "MKCOL"})
    void otherMethodsAreIdempotentOnlyIfTheUserSaysSo(String method) {
        assertThat(RequestTraits.of(method, true, CallOptions.DEFAULT).isIdempotent())
                .isFalse();
        assertThat(RequestTraits.of(method, true, CallOptions.DEFAULT.idempotent(true))
                        .isIdempotent())
                .isTrue();
    }

    @Test
    void aBodyThatCanBeSentOnceIsSentOnce() {
        assertThat(RequestTraits.of("GET", true, CallOptions.DEFAULT).isReplayable())
                .isTrue();
        assertThat(RequestTraits.of("GET", false, CallOptions.DEFAULT.replayable(true))
                        .isReplayable())
                .isFalse();
        assertThat(RequestTraits.of("GET", true, CallOptions.DEFAULT.replayable(false))
                        .isReplayable())
                .isFalse();
        assertThat(RequestTraits.of("GET", true, CallOptions.exempt()).isExempt())
                .isTrue();
    }

    @Test
    void whatJavaItselfThrowsIsJudgedAlikeForAllClients() {
        assertThat(FailureKind.of(new ConnectException("refused"))).isEqualTo(FailureKind.PASSING);
        assertThat(FailureKind.of(new UnknownHostException("a"))).isEqualTo(FailureKind.PASSING);
        assertThat(FailureKind.of(new EOFException())).isEqualTo(FailureKind.PASSING);
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
        RequestTraits traits = RequestTraits.of("POST", true, options)
                .withDerived(Cost.of("b", 3).and("c", 3), "derived");
        assertThat(traits.cost()).isEqualTo(Cost.of("a", 1));
        assertThat(traits.estimate()).isEqualTo(Cost.of("b", 2).and("c", 3));
        assertThat(traits.profile()).isEqualTo("own");
        RequestTraits derived =
                RequestTraits.of("POST", true, CallOptions.DEFAULT).withDerived(null, "derived");
        assertThat(derived.estimate()).isNull();
        assertThat(derived.profile()).isEqualTo("derived");
    }
}
