package dev.throttle.jdkhttp;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import org.jspecify.annotations.Nullable;

/**
 * The handler that the wrapped client gets for an attempt. It leads to the attempt while that is under way, and then to
 * nothing. A client may keep a handler for ever, most of all if the exchange was cut off; so what it keeps must not
 * lead to the call, to its throttle, and from there to all others.
 */
final class AttemptHandler<T> implements BodyHandler<T> {

    /** What the attempt does with a response. */
    interface Step<T> {
        BodySubscriber<T> of(JdkAnswer<T> answer);
    }

    private final BodyPolicy bodies;
    private volatile @Nullable JdkAnswer<T> answer;

    AttemptHandler(BodyPolicy bodies, JdkAnswer<T> answer) {
        this.bodies = bodies;
        this.answer = answer;
    }

    @Override
    public BodySubscriber<T> apply(ResponseInfo info) {
        return whileUnderWay(underWay -> underWay.begin(info));
    }

    /** {@return the subscriber that the attempt chooses; one that reads nothing once the attempt is over} */
    BodySubscriber<T> whileUnderWay(Step<T> step) {
        JdkAnswer<T> underWay = answer;
        return underWay == null ? BoundedDiscard.unread(bodies) : step.of(underWay);
    }

    /** The attempt is over. The body of a response that comes nevertheless is not read. */
    void letGo() {
        answer = null;
    }
}
