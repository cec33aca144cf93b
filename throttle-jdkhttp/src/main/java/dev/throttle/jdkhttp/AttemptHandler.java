package dev.throttle.jdkhttp;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import org.jspecify.annotations.Nullable;

/**
 * The handler that the wrapped client gets for an attempt. It leads to the attempt while that is under way, and then to
 * nothing. A client may hold on to a handler for ever, most of all if the exchange was cut off; so what it holds must
 * not lead to the call, to its throttle, and from there to all others.
 */
final class AttemptHandler<T> implements BodyHandler<T> {

    /** What the attempt does with a response. */
    interface Step<T> {
        BodySubscriber<T> of(ResponseGate<T> gate);
    }

    private final BodyPolicy bodies;
    private volatile @Nullable ResponseGate<T> gate;

    AttemptHandler(BodyPolicy bodies, ResponseGate<T> gate) {
        this.bodies = bodies;
        this.gate = gate;
    }

    @Override
    public BodySubscriber<T> apply(ResponseInfo info) {
        ResponseGate<T> underWay = gate;
        return underWay == null ? BoundedDiscard.unread(bodies) : underWay.begin(info);
    }

    /** {@return the subscriber that the attempt chooses; one that reads nothing once the attempt is over} */
    BodySubscriber<T> whileUnderWay(Step<T> step) {
        ResponseGate<T> underWay = gate;
        return underWay == null ? BoundedDiscard.unread(bodies) : step.of(underWay);
    }

    /**
     * The attempt is over. A response that comes nevertheless goes to nobody, and the caller's handler is not asked.
     */
    void letGo() {
        gate = null;
    }
}
