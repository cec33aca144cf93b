package dev.throttle.reality.load;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/** What a client has sent, as seen where it leaves the client. Times are those of {@link System#nanoTime}. */
public final class Wire {

    /** The status of a request that got no answer. */
    public static final int NO_ANSWER = 0;

    /**
     * A request.
     *
     * @param sentAt when it left
     * @param answeredAt when its answer began, or when it failed
     * @param status of the answer, or {@link #NO_ANSWER}
     */
    public record Exchange(long sentAt, long answeredAt, int status) {

        /** {@return whether the server refused it} */
        public boolean isRefused() {
            return status == 429 || status == 503 || status == 403;
        }

        /** {@return whether it was served} */
        public boolean isServed() {
            return status == 200;
        }
    }

    private final Queue<Exchange> exchanges = new ConcurrentLinkedQueue<>();

    /** Records a request that ends now. */
    void ended(long sentAt, int status) {
        exchanges.add(new Exchange(sentAt, System.nanoTime(), status));
    }

    /** {@return all requests that have ended, in the order of their ends} */
    public List<Exchange> exchanges() {
        return List.copyOf(exchanges);
    }

    /** {@return how many of them are so} */
    public int count(Predicate<Exchange> condition) {
        return (int) exchanges.stream().filter(condition).count();
    }
}
