package dev.throttle.okhttp;

import dev.throttle.ThrottleRegistry;
import dev.throttle.client.KeyedCall;
import dev.throttle.client.Layer;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.EventListener;
import org.jspecify.annotations.Nullable;

/**
 * What the doors leave on a call, so that they know of each other: the throttled calls under way, one for each set of
 * throttles. It is the call's one listener too, as a listener can never be taken off.
 */
final class CallTag extends EventListener {

    /** Written by the thread that the call is on; read by those that cancel it too. */
    private volatile @Nullable OkHttpCall throttled;
    /** Those of further sets of throttles, which hardly any call passes. */
    private volatile List<OkHttpCall> more = List.of();
    /** The layer of another client that sends this call; null if there is none, or if the call is throttled itself. */
    private volatile @Nullable Layer above;

    private boolean isListening;

    static CallTag of(Call call) {
        return OkHttpVersion.tag(call);
    }

    static @Nullable OkHttpCall callOf(Call call, ThrottleRegistry throttles) {
        CallTag tag = OkHttpVersion.tagOf(call);
        return tag == null ? null : tag.find(throttles);
    }

    @Nullable OkHttpCall find(ThrottleRegistry throttles) {
        OkHttpCall first = throttled;
        if (first != null && first.throttles() == throttles) {
            return first;
        }
        List<OkHttpCall> others = more;
        for (int i = 0; i < others.size(); i++) { // empty as a rule, which an iterator would not be for nothing
            if (others.get(i).throttles() == throttles) {
                return others.get(i);
            }
        }
        return null;
    }

    /** Carries to the dispatcher's thread what the caller's knows: that another client sends this call. */
    void sentBy(Layer layer) {
        above = layer;
    }

    /** {@return the layer that sends this call; null if there is none} */
    @Nullable Layer layer() {
        OkHttpCall first = throttled;
        if (first == null) {
            return above;
        }
        List<OkHttpCall> others = more;
        return (others.isEmpty() ? first : others.get(others.size() - 1))
                .keyed()
                .layer();
    }

    void add(OkHttpCall known) {
        if (throttled == null) {
            throttled = known;
        } else {
            more = Stream.concat(more.stream(), Stream.of(known)).toList();
        }
    }

    void remove(OkHttpCall known) {
        if (known.equals(throttled)) {
            throttled = null;
        } else {
            more = more.stream().filter(other -> !other.equals(known)).toList();
        }
    }

    /** Waits for permits on the thread of a call, which ends the wait when it is canceled. */
    void acquire(KeyedCall keyed, Call call) throws IOException, InterruptedException {
        if (!call.isCanceled() && keyed.tryAcquire()) {
            return;
        }
        listenTo(call);
        CancellationPoll poll = CancellationPoll.of(call, keyed);
        try {
            keyed.acquire();
        } finally {
            if (poll != null) {
                poll.close();
            }
        }
    }

    /** Makes a cancellation of the call, whether to come or past, one of its throttled calls. */
    private void listenTo(Call call) {
        if (!isListening && OkHttpVersion.tellsOfCancellation()) {
            isListening = true;
            call.addEventListener(this);
        }
        if (call.isCanceled()) {
            canceled(call);
        }
    }

    /** Runs on the thread that cancels, which may be OkHttp's timeout thread: wakes the waiting thread, and no more. */
    @Override
    public void canceled(Call call) {
        OkHttpCall first = throttled;
        if (first != null) {
            first.keyed().cancel();
        }
        more.forEach(known -> known.keyed().cancel());
    }
}
