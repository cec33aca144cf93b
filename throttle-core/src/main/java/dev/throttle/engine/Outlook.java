package dev.throttle.engine;

import dev.throttle.ThrottleState;

/**
 * What a call would meet if it came now.
 *
 * @param state whether calls are let go
 * @param atLeastNanos the least wait that it would have, as far as it is known
 * @param reason what it would wait for or be rejected for; empty if it would go at once
 * @param headReason what the first in line waits for; empty if no call is in line
 * @param headLeftNanos how long the first in line has to wait still, as far as it is known
 * @param headWaitedNanos how long it has waited so far
 * @param waiting calls in the queue
 * @param inFlight requests in flight
 */
public record Outlook(
        ThrottleState state,
        long atLeastNanos,
        String reason,
        String headReason,
        long headLeftNanos,
        long headWaitedNanos,
        int waiting,
        int inFlight) {}
