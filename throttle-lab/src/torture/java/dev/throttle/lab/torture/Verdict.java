package dev.throttle.lab.torture;

import dev.throttle.lab.torture.AnswerPlan.Fault;
import dev.throttle.lab.torture.CallPlan.Meddling;
import dev.throttle.lab.torture.CallPlan.Reading;
import dev.throttle.lab.torture.CallPlan.Wish;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Whether a call may have ended as it did. */
final class Verdict {

    private final long seed;
    private final CallPlan plan;
    private final Ending ending;
    private final int requests;

    /** Requests are those that the servers have seen of the call. */
    Verdict(long seed, CallPlan plan, Ending ending, int requests) {
        this.seed = seed;
        this.plan = plan;
        this.ending = ending;
        this.requests = requests;
    }

    /**
     * {@return what is wrong; null if nothing}
     *
     * @param isDisturbed whether clients were shut down or calls cancelled for other reasons than the plan's
     * @param wasInterrupted whether the caller was interrupted by plan
     * @param isInterrupted whether it was left interrupted
     */
    @Nullable String wrong(boolean isDisturbed, boolean wasInterrupted, boolean isInterrupted) {
        Throwable thrown = ending.thrown();
        if (!ending.isRight()) {
            return "it got a body that was not sent";
        }
        if (isInterrupted && !wasInterrupted) {
            return "its thread was left interrupted, but had not been interrupted";
        }
        if (thrown instanceof InterruptedException) {
            return !wasInterrupted
                    ? "it had not been interrupted"
                    : isInterrupted ? "its thread still is interrupted" : null;
        }
        if (thrown instanceof CancellationException) {
            return plan.isCancelled() ? null : "it had not been cancelled";
        }
        if (thrown != null) {
            return wrongFailure(thrown, isDisturbed || wasInterrupted);
        }
        boolean wasSent = false;
        for (int attempt = 0; attempt < requests && !wasSent; attempt++) {
            wasSent = AnswerPlan.of(seed, plan.number(), attempt, plan.wire()).status() == ending.status();
        }
        return wasSent ? null : "no server sent this status";
    }

    private @Nullable String wrongFailure(Throwable thrown, boolean isExcused) {
        if (!(thrown instanceof IOException)) {
            return "it is no IOException";
        }
        if (ending.isRejected()) {
            return plan.wish() == Wish.EXEMPT ? "it is exempt" : null;
        }
        if (String.valueOf(thrown.getMessage()).contains("is not sent again")) { // see docs/jdkhttp.md, Redirects
            return plan.door().isOkHttp() ? "that is for a client which follows redirects by itself" : null;
        }
        if (isLostRefusal(String.valueOf(thrown.getMessage()))) {
            return null;
        }
        if ((thrown.getMessage() != null && thrown.getMessage().startsWith("the throttle failed"))
                || thrown.getCause() instanceof CompletionException) {
            return "it is not a failure for callers";
        }
        if (isExcused || plan.isCancelled() || plan.meddling() == Meddling.TIME_OUT) {
            return null;
        }
        if ("Canceled".equals(thrown.getMessage())) {
            return "it had not been canceled";
        }
        return isCalm() && !isHitByAnother(thrown) ? "nothing had gone wrong" : null;
    }

    /**
     * {@return whether a message is about a refusal that was sent, was to be repeated, and could not be in the time that
     * the call had} See docs/jdkhttp.md, Redirects.
     */
    private boolean isLostRefusal(String message) {
        boolean isLost = false;
        for (int attempt = 0; attempt < requests && !plan.door().isOkHttp(); attempt++) {
            AnswerPlan answer = AnswerPlan.of(seed, plan.number(), attempt, plan.wire());
            isLost |= answer.status() >= 400
                    && message.equals("the server answered " + answer.status()
                            + ", and the request is not retried; the body of the response was discarded");
        }
        return isLost;
    }

    /**
     * {@return whether the JDK's client has closed the connection because a call was cancelled that had it before} It
     * does if that call's body has ended, and its future has not. Had this call been cancelled, it would not have
     * failed with an {@link IOException}.
     */
    private boolean isHitByAnother(Throwable thrown) {
        boolean isHit = false;
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            isHit |= cause instanceof IOException && "Request cancelled".equals(cause.getMessage());
        }
        return isHit && !plan.door().isOkHttp();
    }

    /** {@return whether no server did anything to it} Streams of one connection suffer together, so those never are. */
    private boolean isCalm() {
        for (int attempt = 0; attempt < requests; attempt++) {
            AnswerPlan answer = AnswerPlan.of(seed, plan.number(), attempt, plan.wire());
            if (answer.fault() != Fault.NOTHING) {
                return false;
            }
        }
        return plan.wire() != Wire.HTTP2_TLS && plan.isIdempotent() && plan.reading() == Reading.WHOLE && requests > 0;
    }
}
