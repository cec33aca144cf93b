package dev.throttle.spring.boot;

import dev.throttle.Throttle;
import dev.throttle.ThrottleMode;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleSnapshot;
import dev.throttle.ThrottleState;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.util.StringUtils;

/**
 * Shows the throttles of the application, and why calls wait; pauses and resumes them, and changes their mode. A key is
 * named by its label, or by the host if the label is an origin.
 */
@Endpoint(id = "throttles")
class ThrottlesEndpoint {

    private final ThrottleRegistry throttles;

    ThrottlesEndpoint(ThrottleRegistry throttles) {
        this.throttles = throttles;
    }

    /** What is done to a throttle. */
    enum Action {
        PAUSE,
        RESUME,
        OBSERVE,
        ENFORCE;

        ThrottleMode mode() {
            return this == OBSERVE ? ThrottleMode.OBSERVE : ThrottleMode.ENFORCE;
        }
    }

    /**
     * All throttles.
     *
     * @param name the name of the registry
     * @param throttles one for each key, by label
     */
    record Throttles(String name, List<Summary> throttles) {}

    /**
     * One throttle, in short.
     *
     * @param label the key as it is shown
     * @param state whether it lets calls go, as the program has asked of it
     * @param mode whether it acts on what it knows
     * @param why why calls wait, in sentences
     * @param waiting callers in the queue
     * @param inFlight requests in flight
     * @param blocked the time until the server lets requests in again
     */
    record Summary(
            String label,
            ThrottleState state,
            ThrottleMode mode,
            String why,
            int waiting,
            int inFlight,
            Duration blocked) {

        static Summary of(Throttle throttle) {
            ThrottleSnapshot now = throttle.snapshot();
            return new Summary(
                    now.label(),
                    now.state(),
                    now.mode(),
                    throttle.explainWait(),
                    now.waiting(),
                    now.inFlight(),
                    now.blocked());
        }
    }

    @ReadOperation
    public Throttles throttles() {
        List<Summary> all = throttles.all().stream()
                .map(Summary::of)
                .sorted(Comparator.comparing(Summary::label))
                .toList();
        return new Throttles(throttles.name(), all);
    }

    @ReadOperation
    public @Nullable KeyDescriptor throttle(@Selector(match = Selector.Match.ALL_REMAINING) String[] label) {
        Throttle found = find(label);
        return found == null ? null : KeyDescriptor.of(found);
    }

    /** All keys, those to come as well. */
    @WriteOperation
    public Throttles changeAll(Action action, @Nullable Boolean counted) {
        switch (action) {
            case PAUSE -> {
                if (isCounted(counted)) {
                    throttles.pause();
                } else {
                    throttles.pauseUncounted();
                }
            }
            case RESUME -> throttles.resume();
            case OBSERVE, ENFORCE -> throttles.reconfigure(settings -> settings.mode(action.mode()));
        }
        return throttles();
    }

    /** {@return whether a pause counts towards the longest waits, which is the default} */
    private static boolean isCounted(@Nullable Boolean counted) {
        return counted == null || counted;
    }

    @WriteOperation
    public @Nullable KeyDescriptor change(
            @Selector(match = Selector.Match.ALL_REMAINING) String[] label, Action action, @Nullable Boolean counted) {
        Throttle found = find(label);
        if (found == null) {
            return null;
        }
        switch (action) {
            case PAUSE -> {
                if (isCounted(counted)) {
                    found.pause();
                } else {
                    found.pauseUncounted();
                }
            }
            case RESUME -> found.resume();
            case OBSERVE, ENFORCE -> found.reconfigure(key -> key.mode(action.mode()));
        }
        return KeyDescriptor.of(found);
    }

    /** A label comes in pieces: what is between its slashes, if it has any. */
    private @Nullable Throttle find(String[] pieces) {
        return find(throttles, pieces);
    }

    static @Nullable Throttle find(ThrottleRegistry throttles, String[] pieces) {
        Throttle byHost = null;
        for (Throttle throttle : throttles.all()) {
            String[] own = StringUtils.tokenizeToStringArray(throttle.label(), "/");
            if (Arrays.equals(own, pieces)) {
                return throttle;
            }
            boolean isOrigin = own.length == 2 && own[0].endsWith(":");
            if (isOrigin && pieces.length == 1 && (own[1].equals(pieces[0]) || own[1].startsWith(pieces[0] + ":"))) {
                byHost = throttle;
            }
        }
        return byHost;
    }
}
