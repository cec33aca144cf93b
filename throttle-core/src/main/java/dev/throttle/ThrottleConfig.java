package dev.throttle;

import dev.throttle.control.Strategy;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Classifier;
import dev.throttle.signal.HintReader;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** The checked settings of a throttle. */
record ThrottleConfig(
        String name,
        List<Strategy> strategies,
        List<Function<String, AdmissionGuard>> guards,
        Classifier classifier,
        HintReader hintReader,
        RetryPolicy retryPolicy,
        Duration maxWait,
        int maxWaiting,
        double retryAfterJitter,
        Duration maxRetryAfterJitter,
        long seed,
        TimeSource time,
        Executor executor,
        Listeners listeners) {}
