package dev.throttle.okhttp;

import dev.throttle.ThrottleRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import okhttp3.Call;
import okhttp3.EventListener;
import org.jspecify.annotations.Nullable;

/**
 * What the doors leave on a call, so that they know of each other: the throttled calls under way, one for each set of
 * throttles. It is the call's one listener too, as a listener can never be taken off.
 */
final class CallTag extends EventListener {

    private final List<OkHttpCall> throttled = new CopyOnWriteArrayList<>();
    private boolean isListening;

    static CallTag of(Call call) {
        return OkHttpVersion.tag(call);
    }

    static @Nullable OkHttpCall callOf(Call call, ThrottleRegistry throttles) {
        CallTag tag = OkHttpVersion.tagOf(call);
        return tag == null ? null : tag.find(throttles);
    }

    @Nullable OkHttpCall find(ThrottleRegistry throttles) {
        for (OkHttpCall known : throttled) {
            if (known.throttles() == throttles) {
                return known;
            }
        }
        return null;
    }

    /** {@return whether another set of throttles has this key too} */
    boolean hasKey(String key) {
        for (OkHttpCall known : throttled) {
            if (known.keyed().key().equals(key)) {
                return true;
            }
        }
        return false;
    }

    void add(OkHttpCall known) {
        throttled.add(known);
    }

    void remove(OkHttpCall known) {
        throttled.remove(known);
    }

    /** Makes a cancellation of the call, whether to come or past, one of its throttled calls. */
    void listenTo(Call call) {
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
        for (OkHttpCall known : throttled) {
            known.keyed().cancel();
        }
    }
}
