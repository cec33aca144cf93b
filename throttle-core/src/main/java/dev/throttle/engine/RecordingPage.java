package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some hundred recorded calls that ended one after the other. They are kept in arrays, as a day has many of them: about
 * 40 bytes each, and 18 for each quota that an answer told. Not thread-safe.
 */
final class RecordingPage {

    static final int CALLS = 512;
    private static final int FIRST_SIZE = 32;
    private static final long NONE = -1;
    private static final int NANOS_PER_MICRO = 1_000;

    private long[] at = new long[FIRST_SIZE];
    private int[] micros = new int[FIRST_SIZE];
    private CallOptions[] options = new CallOptions[FIRST_SIZE];
    private Cost[] costs = new Cost[FIRST_SIZE];
    private byte[] outcomes = new byte[FIRST_SIZE];
    private int[] retryAfterMillis = new int[FIRST_SIZE];
    private int[] prints = new int[FIRST_SIZE];
    /** How many readings were told before the end of each call. */
    private short[] readingsUntil = new short[FIRST_SIZE];

    private int size;
    private int refusals;

    private short[] shapes = new short[0];
    private long[] remaining = new long[0];
    private long[] resetNanos = new long[0];
    private int readings;

    /** How many quotas there are, those alone that a page can hold. */
    private static final int MOST_READINGS = Short.MAX_VALUE;

    boolean isFull() {
        return size == CALLS;
    }

    int size() {
        return size;
    }

    int refusals() {
        return refusals;
    }

    @SuppressWarnings("EnumOrdinal") // what is in memory does not outlive the program
    void add(RecordedCall call, QuotaShapes known) {
        if (size == at.length) {
            grow(Math.min(CALLS, size * 2));
        }
        at[size] = call.at();
        micros[size] = (int) Math.min(Integer.MAX_VALUE, call.nanos() / NANOS_PER_MICRO);
        options[size] = size > 0 && call.options().equals(options[size - 1]) ? options[size - 1] : call.options();
        costs[size] = call.cost();
        outcomes[size] = (byte) call.outcome().ordinal();
        Duration wait = call.retryAfter();
        retryAfterMillis[size] = wait == null ? (int) NONE : (int) Math.min(Integer.MAX_VALUE, millis(wait));
        prints[size] = call.print();
        for (Quota quota : call.quotas()) {
            int shape = known.find(quota);
            if (shape >= 0 && readings < MOST_READINGS) {
                addReading(shape, quota);
            }
        }
        readingsUntil[size] = (short) readings;
        size++;
        refusals += call.isRefused() ? 1 : 0;
    }

    private static long millis(Duration wait) {
        return wait.compareTo(Duration.ofDays(365)) > 0 ? Integer.MAX_VALUE : wait.toMillis();
    }

    private void addReading(int shape, Quota quota) {
        if (readings == shapes.length) {
            int more = Math.max(FIRST_SIZE, readings * 2);
            shapes = Arrays.copyOf(shapes, more);
            remaining = Arrays.copyOf(remaining, more);
            resetNanos = Arrays.copyOf(resetNanos, more);
        }
        shapes[readings] = (short) shape;
        Long left = quota.remaining();
        remaining[readings] = left == null ? NONE : left;
        Duration reset = quota.reset();
        resetNanos[readings] = reset == null ? NONE : dev.throttle.internal.Nanos.of(reset);
        readings++;
    }

    private void grow(int next) {
        at = Arrays.copyOf(at, next);
        micros = Arrays.copyOf(micros, next);
        options = Arrays.copyOf(options, next);
        costs = Arrays.copyOf(costs, next);
        outcomes = Arrays.copyOf(outcomes, next);
        retryAfterMillis = Arrays.copyOf(retryAfterMillis, next);
        prints = Arrays.copyOf(prints, next);
        readingsUntil = Arrays.copyOf(readingsUntil, next);
    }

    /** The call that was sent at an instant has truly taken this; {@return whether the page has it} */
    boolean settle(long sentAt, Cost actual) {
        for (int i = size - 1; i >= 0; i--) {
            if (at[i] == sentAt) {
                costs[i] = actual.orElse(costs[i]);
                return true;
            }
        }
        return false;
    }

    List<RecordedCall> read(QuotaShapes known) {
        List<RecordedCall> all = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            List<Quota> told = new ArrayList<>();
            for (int j = i == 0 ? 0 : readingsUntil[i - 1]; j < readingsUntil[i]; j++) {
                told.add(known.quota(shapes[j], known(remaining[j]), duration(resetNanos[j])));
            }
            Duration wait = retryAfterMillis[i] < 0 ? null : Duration.ofMillis(retryAfterMillis[i]);
            all.add(new RecordedCall(
                    at[i],
                    (long) micros[i] * NANOS_PER_MICRO,
                    options[i],
                    costs[i],
                    OUTCOMES[outcomes[i]],
                    wait,
                    List.copyOf(told),
                    prints[i]));
        }
        return all;
    }

    private static final Outcome[] OUTCOMES = Outcome.values();

    private static @Nullable Long known(long value) {
        return value == NONE ? null : Long.valueOf(value);
    }

    private static @Nullable Duration duration(long nanos) {
        return nanos == NONE ? null : Duration.ofNanos(nanos);
    }
}
