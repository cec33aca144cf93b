package dev.throttle.spring;

import dev.throttle.ThrottleRejectedException;
import dev.throttle.client.Attempt;
import dev.throttle.client.KeyedCall;
import dev.throttle.internal.CallContext;
import dev.throttle.signal.Signal;
import dev.throttle.signal.usage.BodyTail;
import java.time.Duration;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
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
 * One call of a {@code WebClient} with all its attempts.
 *
 * <p>One thing is under way at a time: a wait for permits, an exchange, a look at a body, or the end of a refused one.
 * What has ended leaves its next step in a queue, and the steps run on one thread at a time and in a loop, so that
 * attempts cannot nest however they end. Nothing that has delivered a response is cancelled afterwards, since the
 * connectors would take that for a response that nobody wants.
 */
final class ThrottledExchange implements Subscription, AttemptSubscriber.Listener {

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
    private final ExchangeFunction next;
    private final CoreSubscriber<? super ClientResponse> target;

    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.IDLE);
    private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
    private final AtomicInteger stepsLeft = new AtomicInteger();
    private final Disposable.Swap underWay = Disposables.swap();

    ThrottledExchange(
            SpringCalls calls,
            KeyedCall call,
            ClientRequest request,
            ExchangeFunction next,
            CoreSubscriber<? super ClientResponse> target) {
        this.calls = calls;
        this.call = call;
        this.request = request;
        this.next = next;
        this.target = target;
    }

    @Override
    public void request(long n) {
        if (Operators.validate(n) && stage.compareAndSet(Stage.IDLE, Stage.ACTIVE)) {
            go(this::awaitPermits);
        }
    }

    @Override
    public void cancel() {
        if (stage.getAndSet(Stage.OVER) != Stage.OVER) {
            call.cancel();
            underWay.dispose();
            go(this::letGo);
        }
    }

    private void go(Runnable step) {
        steps.add(step);
        if (stepsLeft.getAndIncrement() > 0) {
            return;
        }
        do {
            Runnable first = steps.poll();
            try {
                CallContext.run(call.context(), Objects.requireNonNull(first));
            } catch (Throwable e) {
                if (!fail(e)) {
                    Operators.onErrorDropped(e, target.currentContext());
                }
            }
        } while (stepsLeft.decrementAndGet() > 0);
    }

    private boolean isOver() {
        return stage.get() == Stage.OVER;
    }

    /** No permit outlives the call. */
    private void letGo() {
        call.attempt().abandon();
        call.release();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback tells what has become of it
    private void awaitPermits() {
        call.acquireAsync()
                .whenComplete((held, refusal) -> go(() -> {
                    if (refusal != null) {
                        fail(refusal instanceof ThrottleRejectedException ? refused(refusal) : refusal);
                    } else {
                        send();
                    }
                }));
    }

    /** The form in which a {@code WebClient} reports that a request could not be sent. */
    private WebClientRequestException refused(Throwable refusal) {
        return new WebClientRequestException(refusal, request.method(), request.url(), request.headers());
    }

    private void send() {
        if (isOver()) {
            letGo();
            return;
        }
        Attempt attempt = call.beginAttempt();
        Attempt.Hop hop = Objects.requireNonNull(attempt.beginHop(call.key()));
        Mono<ClientResponse> exchange;
        try {
            exchange = next.exchange(request);
        } catch (Throwable e) {
            exchange = Mono.error(e);
        }
        AttemptSubscriber subscriber = new AttemptSubscriber(attempt, hop, target.currentContext(), this);
        underWay.replace(subscriber);
        exchange.subscribe(subscriber);
    }

    @Override
    public void endedWithNothing() {
        go(() -> {
            if (stage.compareAndSet(Stage.ACTIVE, Stage.OVER)) {
                letGo();
                target.onComplete();
            }
        });
    }

    @Override
    public void failed(Attempt attempt, Attempt.Hop hop, Throwable failure) {
        go(() -> {
            hop.fail(SpringFailures.of(failure), failure);
            if (attempt.end(failure)) {
                awaitPermits();
            } else {
                fail(failure);
            }
        });
    }

    @Override
    public void received(Attempt attempt, Attempt.Hop hop, ClientResponse response) {
        go(() -> look(attempt, hop, response));
    }

    private void look(Attempt attempt, Attempt.Hop hop, ClientResponse response) {
        SpringHead head = new SpringHead(
                response.statusCode().value(), request.url(), response.headers().asHttpHeaders());
        Signal said = hop.read(head);
        if (isOver() || !calls.needsBody(head, said)) {
            hop.end(head, said);
            conclude(attempt, head, said, response);
            return;
        }
        hop.endWithBody(head, said);
        BodyPeek peek = new BodyPeek(target.currentContext());
        ClientResponse whole = response.mutate().body(peek::begin).build();
        underWay.replace(peek::giveUp);
        peek.start(
                call.time(),
                PEEK_NANOS,
                start -> go(() -> {
                    hop.end(head, calls.classify(head, said, start));
                    conclude(attempt, head, said, whole);
                }));
    }

    private void conclude(Attempt attempt, SpringHead head, Signal said, ClientResponse response) {
        boolean isRepeated = attempt.end(head.status());
        if (isRepeated || !stage.compareAndSet(Stage.ACTIVE, Stage.OVER)) {
            release(response, isRepeated ? this::awaitPermits : () -> {});
            return;
        }
        BodyTail tail = SpringCosts.tailOf(call, head, said);
        target.onNext(tail == null ? response : BodyPeek.listen(response, call, tail));
        target.onComplete();
    }

    /** Before the wait, so that its connection is free for others. */
    private void release(ClientResponse response, Runnable then) {
        Disposable releasing = response.releaseBody()
                .timeout(LONGEST_RELEASE)
                .subscribe(nothing -> {}, failure -> go(then), () -> go(then), Context.of(target.currentContext()));
        if (!isOver()) {
            underWay.replace(releasing);
        }
    }

    private boolean fail(Throwable failure) {
        boolean isFirst = stage.compareAndSet(Stage.ACTIVE, Stage.OVER);
        if (isFirst) {
            letGo();
            target.onError(failure);
        }
        return isFirst;
    }
}
