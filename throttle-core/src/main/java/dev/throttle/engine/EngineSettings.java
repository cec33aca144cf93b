package dev.throttle.engine;

import dev.throttle.PriorityPolicy;
import dev.throttle.WhenFull;
import dev.throttle.control.Strategy;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Classifier;
import dev.throttle.signal.HintReader;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;

/** The settings of an engine, checked already. */
public record EngineSettings(
        String name,
        List<Strategy> strategies,
        Classifier classifier,
        HintReader hintReader,
        RetryPolicy retryPolicy,
        Duration maxWait,
        int maxWaiting,
        WhenFull whenFull,
        PriorityPolicy priorities,
        double retryAfterJitter,
        Duration maxRetryAfterJitter,
        TimeSource time,
        Executor executor) {}
