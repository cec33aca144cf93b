package dev.throttle.lease.fleet;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a process spent of its own share of one key while the store did not answer, the oldest first. Times are
 * nanoseconds of the process. Immutable.
 *
 * @param sharers how many processes shared the limit as far as this one knows
 */
record OwnSpending(List<Part> parts, int sharers) {

    private static final int MOST_PARTS = 60;

    /** A number of permits that were spent within some time. */
    private record Part(long from, long to, long permits) {

        Part and(Part later) {
            return new Part(from, later.to - to > 0 ? later.to : to, permits + later.permits);
        }
    }

    static OwnSpending of(long permits, int sharers, long now) {
        return new OwnSpending(List.of(new Part(now, now, permits)), sharers);
    }

    /** {@return both, whichever was earlier; what is nearer than some time becomes one} */
    OwnSpending and(OwnSpending other, long nearNanos) {
        List<Part> all = new ArrayList<>();
        Stream.concat(parts.stream(), other.parts.stream())
                .sorted((one, two) -> Long.signum(one.from - two.from))
                .forEach(part -> {
                    Part last = all.isEmpty() ? null : all.get(all.size() - 1);
                    if (last != null && part.to - last.from < nearNanos) {
                        all.set(all.size() - 1, last.and(part));
                    } else {
                        all.add(part);
                    }
                });
        return new OwnSpending(
                List.copyOf(all.subList(Math.max(0, all.size() - MOST_PARTS), all.size())),
                last() - other.last() > 0 ? sharers : other.sharers);
    }

    private long last() {
        return parts.get(parts.size() - 1).to;
    }

    /** {@return what was not spent before an instant; null if all was} */
    @Nullable OwnSpending since(long instant) {
        List<Part> left = parts.stream().filter(part -> part.to - instant >= 0).toList();
        return left.isEmpty() ? null : new OwnSpending(left, sharers);
    }

    long permits() {
        return parts.stream().mapToLong(Part::permits).sum();
    }

    /** {@return how long ago and how many, as age:count in microseconds; never older than it is} */
    String ages(long now) {
        return parts.stream()
                .map(part -> Math.max(0, now - part.to) / 1000 + ":" + part.permits)
                .collect(Collectors.joining(","));
    }
}
