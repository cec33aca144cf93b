package dev.throttle.lab.torture;

import dev.throttle.CallOptions;
import dev.throttle.Priority;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the caller of one call does.
 *
 * @param number which call it is
 * @param door how it is made
 * @param wire what it goes over
 * @param host the name of the server in its URL
 * @param key which key it has
 * @param bodyBytes how long the body is that it posts; negative if it has none
 * @param isOneShot whether that body can be sent only once
 * @param wish what it wants of its throttle
 * @param reading what it does with the body that it gets
 * @param meddling how it is ended from outside
 * @param meddlingMicros when
 */
record CallPlan(
        long number,
        Door door,
        Wire wire,
        String host,
        int key,
        int bodyBytes,
        boolean isOneShot,
        Wish wish,
        Reading reading,
        Meddling meddling,
        int meddlingMicros) {

    private static final int KEYS = 300;
    private static final int LATEST_MICROS = 30_000;
    private static final int SUBJECT = 1;

    /** What becomes of the body of the answer. */
    enum Reading {
        WHOLE,
        SLOWLY,
        HALF,
        NONE
    }

    /** What happens to the call before it has ended. */
    enum Meddling {
        NOTHING,
        CANCEL_BEFORE,
        CANCEL,
        CANCEL_WHILE_READING,
        TIME_OUT,
        INTERRUPT
    }

    /** What the call wants of its throttle. */
    enum Wish {
        NOTHING,
        EXEMPT,
        SHORT_WAIT,
        ONE_ATTEMPT,
        THREE_PERMITS,
        URGENT,
        LATER
    }

    static CallPlan of(long seed, long number, @Nullable Boolean okHttpOnly) {
        Dice dice = new Dice(seed, number, SUBJECT);
        Door door = dice.oneOf(Door.values());
        while (okHttpOnly != null && door.isOkHttp() != okHttpOnly) {
            door = dice.oneOf(Door.values());
        }
        Meddling meddling = dice.weighted(Meddling.values(), 800, 10, 80, 20, 50);
        if ((meddling == Meddling.INTERRUPT && door.isAsync())
                || (!door.isOkHttp() && !door.isAsync() && isCancel(meddling))) {
            meddling = door.isAsync() ? Meddling.CANCEL : Meddling.INTERRUPT;
        }
        boolean hasBody = dice.perMille(200);
        return new CallPlan(
                number,
                door,
                dice.weighted(Wire.values(), 600, 150),
                dice.perMille(500) ? "localhost" : "127.0.0.1",
                dice.below(KEYS),
                hasBody ? dice.spread(5_000) : -1,
                hasBody && dice.perMille(300),
                dice.weighted(Wish.values(), 850, 30, 30, 30, 20, 20),
                dice.weighted(Reading.values(), 800, 60, 80),
                meddling,
                dice.spread(LATEST_MICROS));
    }

    private static boolean isCancel(Meddling meddling) {
        return meddling == Meddling.CANCEL_BEFORE
                || meddling == Meddling.CANCEL
                || meddling == Meddling.CANCEL_WHILE_READING;
    }

    /** {@return whether the call may be cancelled by its caller} */
    boolean isCancelled() {
        return isCancel(meddling);
    }

    boolean isIdempotent() {
        return bodyBytes < 0;
    }

    String path() {
        return path(key);
    }

    String path(int ofKey) {
        return "/k" + ofKey + "/n" + number;
    }

    /** The bound of a call; what throttles make of it counts in their own, faster time. */
    Duration timeout() {
        return meddling == Meddling.TIME_OUT ? Duration.ofMillis(1 + meddlingMicros / 1000) : Duration.ofHours(1);
    }

    CallOptions options() {
        return switch (wish) {
            case NOTHING -> CallOptions.DEFAULT;
            case EXEMPT -> CallOptions.exempt();
            case SHORT_WAIT -> CallOptions.DEFAULT.maxWait(Duration.ofMillis(meddlingMicros / 10));
            case ONE_ATTEMPT -> CallOptions.DEFAULT.maxAttempts(1);
            case THREE_PERMITS -> CallOptions.DEFAULT.permits(3);
            case URGENT -> CallOptions.DEFAULT.priority(Priority.INTERACTIVE);
            case LATER -> CallOptions.DEFAULT.priority(Priority.BATCH);
        };
    }
}
