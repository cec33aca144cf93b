package dev.throttle.jdkhttp;

import dev.throttle.client.Attempt;
import dev.throttle.client.BlockingExchange;
import dev.throttle.client.KeyedCall;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** A throttled call on its caller's thread. */
final class BlockingCall<T> extends JdkExchange<T> implements BlockingExchange<JdkAnswer<T>> {

    private final AbortableSend send = new AbortableSend(this::closed);

    BlockingCall(ClientParts parts, KeyedCall call, HttpRequest request, BodyHandler<T> handler) {
        super(parts, call, request, handler);
    }

    /** Sends a request that is not throttled. */
    static <T> HttpResponse<T> exempt(ClientParts parts, HttpRequest request, BodyHandler<T> handler)
            throws IOException, InterruptedException {
        checkInterrupt();
        AbortableSend send = new AbortableSend(Calls::closed);
        parts.calls().enter(send);
        try {
            return send.run(() -> parts.delegate().send(request, handler));
        } finally {
            parts.calls().leave(send);
        }
    }

    HttpResponse<T> run() throws IOException, InterruptedException {
        checkInterrupt();
        parts().calls().enter(this);
        try {
            JdkAnswer<T> answer = parts().loop().run(call(), this);
            if (answer.isDropped()) {
                throw closed(); // it was to be repeated, but the client was shut down
            }
            return answer.isHeld() ? deliver(answer) : answer.response();
        } finally {
            parts().calls().leave(this);
        }
    }

    private static void checkInterrupt() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before the request was sent");
        }
    }

    private HttpResponse<T> deliver(JdkAnswer<T> answer) throws IOException, InterruptedException {
        try {
            return get(answer.delivered());
        } catch (InterruptedException e) {
            answer.stop(e);
            throw e;
        }
    }

    /** Waits as the wrapped client does, whose exceptions have the caller's stack trace. */
    private <R> R get(Future<R> future) throws IOException, InterruptedException {
        return send.run(() -> {
            try {
                return future.get();
            } catch (ExecutionException e) {
                Throwable cause = Objects.requireNonNull(e.getCause());
                throw new IOException(cause.getMessage(), cause);
            }
        });
    }

    @Override
    public JdkAnswer<T> send(Attempt attempt) throws IOException, InterruptedException {
        JdkAnswer<T> answer = begin(attempt);
        try {
            answer.received(send.run(() -> parts().delegate().send(outgoing(), answer.handler())));
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            if (!answer.failed(e) || isCancelled()) {
                throw e;
            }
        }
        return answer;
    }

    @Override
    public Peeked<JdkAnswer<T>> peek(JdkAnswer<T> answer) throws IOException, InterruptedException {
        return new Peeked<>(answer, get(answer.look()));
    }

    @Override
    public void discard(JdkAnswer<T> answer) throws IOException, InterruptedException {
        try {
            get(answer.drop());
        } finally {
            answer.stop(closed());
            forgetAnswer();
        }
    }

    @Override
    public boolean isCancelled() {
        return send.isAborted();
    }

    @Override
    public void abort() {
        call().cancel();
        send.abort();
        stopReading();
    }
}
