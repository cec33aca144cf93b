package dev.throttle.lab.torture;

import java.util.List;

/**
 * What came of a run.
 *
 * @param calls calls that were made
 * @param answered those that ended with a response
 * @param refused refusals that the servers sent
 * @param rejected calls that a throttle turned away
 * @param cancelled calls that ended by being cancelled, timed out or interrupted
 * @param faults calls that ended with another exception
 * @param left how much was left behind
 * @param lostByOkHttp connections that OkHttp lost by itself, as it does without a throttle
 * @param lostByJdk bodies over HTTP/2 that never ended because their call was cut off at their head, which happens to
 *     the JDK's client without a throttle too
 * @param clientsLostByJdk clients of the JDK's that did not end because a call was cut off when its body had begun,
 *     which happens without a throttle too
 * @param failures everything that went wrong, what was left behind included
 * @param wrong what went wrong, the first of it, each with its plan
 * @param heapBytes the live heap at the end of each round
 */
public record TortureResult(
        long calls,
        long answered,
        long refused,
        long rejected,
        long cancelled,
        long faults,
        long left,
        long lostByOkHttp,
        long lostByJdk,
        long clientsLostByJdk,
        long failures,
        List<String> wrong,
        List<Long> heapBytes) {

    /** {@return whether nothing went wrong} */
    public boolean isClean() {
        return failures == 0;
    }

    /** {@return one line for people and scripts} */
    public String summary() {
        return "calls " + calls + ", refused " + refused + ", cancelled " + cancelled + ", faults " + faults
                + ", left behind " + left;
    }
}
