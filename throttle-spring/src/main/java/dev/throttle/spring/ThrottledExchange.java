package dev.throttle.spring;

import dev.throttle.ThrottleRejectedException;
import dev.throttle.client.AsyncExchange;
import dev.throttle.client.Attempt;
import dev.throttle.client.BodyCosts;
import dev.throttle.client.FailureKind;
import dev.throttle.client.KeyedCall;
import dev.throttle.signal.ResponseHead;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One call of a {@code WebClient}, as the loop sends it. A cancellation ends whatever is under way: a wait for permits,
 * an exchange, a look at a body, or the end of a refused one. Nothing that has delivered a response is cancelled
 * afterwards, since the connectors would take that for a response that is not wanted.
 */
final class ThrottledExchange implements Subscription, AsyncExchange<ClientResponse> {

    private static final Duration LONGEST_RELEASE = Duration.ofSeconds(1);
    private static final long PEEK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private enum Stage {
        IDLE,
        ACTIVE,
        OVER
    }

    private final SpringCalls calls;
    private final KeyedCall call;
    private final ClientRequest request;
    /** Makes the request of each attempt. */
    private final Supplier<ClientRequest> requests;

    private final ExchangeFunction next;
    private final CoreSubscriber<? super ClientResponse> target;

    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.IDLE);
    private final Disposable.Swap underWay = Disposables.swap();

    ThrottledExchange(
            SpringCalls calls,
            KeyedCall call,
            ClientRequest request,
            Supplier<ClientRequest> requests,
            ExchangeFunction next,
            CoreSubscriber<? super ClientResponse> target) {
        this.calls = calls;
        this.call = call;
        this.request = request;
        this.requests = requests;
        this.next = next;
        this.target = target;
    }

    @Override
    public void request(long n) {
        if (Operators.validate(n) && stage.compareAndSet(Stage.IDLE, Stage.ACTIVE)) {
            calls.loop().runAsync(call, this, Runnable::run);
        }
    }

    @Override
    public void cancel() {
        if (stage.getAndSet(Stage.OVER) != Stage.OVER) {
            call.cancel();
            underWay.dispose();
        }
    }

    @Override
    public boolean isCancelled() {
        return stage.get() == Stage.OVER;
    }

    /** {@return a rejection in the form in which a {@code WebClient} reports that a request could not be sent} */
    @Override
    public Throwable unsent(Throwable failure) {
        return failure instanceof ThrottleRejectedException
                ? new WebClientRequestException(failure, request.method(), request.url(), request.headers())
                : failure;
    }

    @Override
    public CompletableFuture<@Nullable ClientResponse> send(Attempt attempt) {
        ClientRequest sent = requests.get(); // user code: what it throws, it throws before anything has begun
        attempt.begin();
        Mono<ClientResponse> exchange;
        try {
            exchange = next.exchange(sent);
        } catch (Throwable e) {
            exchange = Mono.error(e);
        }
        AttemptSubscriber subscriber = new AttemptSubscriber(target.currentContext());
        underWay.replace(subscriber);
        exchange.subscribe(subscriber);
        return subscriber.answer();
    }

    @Override
    public ResponseHead head(ClientResponse response) {
        return headOf(response);
    }

    private SpringHead headOf(ClientResponse response) {
        return new SpringHead(
                response.statusCode().value(), request.url(), response.headers().asHttpHeaders());
    }

    @Override
    public FailureKind kindOf(Throwable failure) {
        return SpringFailures.of(failure);
    }

    @Override
    public CompletableFuture<Peeked<ClientResponse>> peek(ClientResponse response) {
        CompletableFuture<Peeked<ClientResponse>> peeked = new CompletableFuture<>();
        BodyPeek peek = new BodyPeek(target.currentContext());
        ClientResponse whole = response.mutate().body(peek::begin).build();
        underWay.replace(() -> {
            peek.giveUp();
            peeked.completeExceptionally(new CancellationException());
        });
        peek.start(call.time(), PEEK_NANOS, start -> peeked.complete(new Peeked<>(whole, start)));
        return peeked;
    }

    @Override
    public CompletableFuture<?> discard(ClientResponse response) {
        CompletableFuture<@Nullable Void> released = release(response, target.currentContext());
        underWay.replace(() -> released.cancel(false));
        return released;
    }

    /** {@return completes when a body is released, or when that takes too long; cancelling it ends that at once} */
    static CompletableFuture<@Nullable Void> release(ClientResponse response, Context context) {
        return response.releaseBody()
                .timeout(LONGEST_RELEASE)
                .onErrorComplete()
                .contextWrite(context)
                .toFuture();
    }

    /** Releases a body that came too late. */
    @SuppressWarnings("FutureReturnValueIgnored") // the call does not go on
    static void drop(ClientResponse response, Context context) {
        release(response, context);
    }

    @Override
    public ClientResponse deliver(ClientResponse response, Attempt attempt) {
        BodyCosts costs = attempt.costs(headOf(response), request.url().getRawPath());
        return costs == null ? response : BodyPeek.listen(response, costs);
    }

    @Override
    public void ended(@Nullable ClientResponse response, @Nullable Throwable failure, boolean isAfterWait) {
        boolean isAwaited = stage.compareAndSet(Stage.ACTIVE, Stage.OVER);
        if (response != null && !isAwaited) {
            drop(response, target.currentContext());
        } else if (failure != null && isAwaited) {
            target.onError(failure);
        } else if (isAwaited) {
            if (response != null) {
                target.onNext(response);
            }
            target.onComplete();
        }
    }
}
