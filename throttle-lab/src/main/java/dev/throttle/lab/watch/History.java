package dev.throttle.lab.watch;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.Collectors;

/** The samples of the last while: those of a quarter of an hour at one a second. Thread-safe. */
final class History {

    private static final int MOST = 900;

    private final Deque<String> samples = new ArrayDeque<>();
    /** How many there have ever been. */
    private long count;

    synchronized void add(String sample) {
        samples.addLast(sample);
        count++;
        if (samples.size() > MOST) {
            samples.removeFirst();
        }
    }

    /** {@return as JSON the samples from a number on, as far as they are still known, and the number to go on with} */
    synchronized String since(long number) {
        long known = count - samples.size();
        return samples.stream()
                .skip(Math.max(0, Math.min(number, count) - known))
                .collect(Collectors.joining(",", "{\"next\":" + count + ",\"samples\":[", "]}"));
    }
}
