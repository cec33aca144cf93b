package dev.throttle.lab.peer;

import com.netflix.concurrency.limits.limit.Gradient2Limit;
import dev.throttle.signal.ResponseHead;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Netflix's concurrency-limits: as many requests on the wire as Gradient2 allows by their latency, the rest waits in
 * order. Refused calls wait as most programs' do.
 */
final class Gradient2 extends BackoffRetryAfter {

    private static final int OK = 200;

    private final Gradient2Limit limit = Gradient2Limit.newDefault();
    private final Deque<Attempt> queue = new ArrayDeque<>();
    private int inFlight;

    Gradient2(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    void whenRoom(Attempt attempt) {
        queue.add(attempt);
        release();
    }

    private void release() {
        while (inFlight < limit.getLimit() && !queue.isEmpty()) {
            Attempt next = queue.remove();
            if (!next.isCancelled()) {
                inFlight++;
                next.leave();
            }
        }
    }

    @Override
    void answered(ResponseHead response, long sentAt) {
        limit.onSample(sentAt, now() - sentAt, inFlight, response.status() != OK);
        inFlight--;
        release();
    }
}
