package dev.throttle.engine;

import dev.throttle.PriorityPolicy;
import dev.throttle.WhenFull;
import dev.throttle.control.Strategy;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Classifier;
import dev.throttle.signal.HintReader;
import java.time.Duration;
import java.util.List;

/** The settings of an engine that can be other ones for each key, and others tomorrow; checked already. */
public record EnginePolicy(
        List<Strategy> strategies,
        Classifier classifier,
        HintReader hintReader,
        RetryPolicy retryPolicy,
        Duration maxWait,
        int maxWaiting,
        WhenFull whenFull,
        PriorityPolicy priorities,
        double retryAfterJitter,
        Duration maxRetryAfterJitter) {}
