package dev.throttle.okhttp;

import dev.throttle.ThrottleRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import okhttp3.Call;
import okhttp3.EventListener;
import org.jspecify.annotations.Nullable;

/**
 * What the doors leave on a call, so that they know of each other: the journeys under way, one for each set of
 * throttles. It is the call's one listener too, as a listener can never be taken off.
 */
final class CallTag extends EventListener {

    private final List<Journey> journeys = new CopyOnWriteArrayList<>();
    private boolean isListening;

    static CallTag of(Call call) {
        return call.tag(CallTag.class, CallTag::new);
    }

    static @Nullable Journey journeyOf(Call call, ThrottleRegistry throttles) {
        CallTag tag = call.tag(CallTag.class);
        return tag == null ? null : tag.find(throttles);
    }

    @Nullable Journey find(ThrottleRegistry throttles) {
        for (Journey journey : journeys) {
            if (journey.throttles() == throttles) {
                return journey;
            }
        }
        return null;
    }

    void add(Journey journey) {
        journeys.add(journey);
    }

    void remove(Journey journey) {
        journeys.remove(journey);
    }

    /** Makes a cancellation of the call, whether to come or past, one of its journeys. */
    void listenTo(Call call) {
        if (!isListening) {
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
        for (Journey journey : journeys) {
            journey.cancel();
        }
    }
}
