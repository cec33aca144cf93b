package dev.throttle;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A server with several quotas, each of which counts some routes, and callers that use it. It keeps book of what each
 * quota has granted and refused, and of the calls that could have gone while they waited.
 */
final class NamedQuotas {

    private static final Duration STEP = Duration.ofMillis(10);
    private static final long LATENCY_NANOS = 50_000_000;

    /** How a response names the quota. */
    enum Style {
        GITHUB,
        IETF,
        DISCORD
    }

    /** A window of one quota. */
    static final class Window {
        final @Nullable String name;
        final long limit;
        final double seconds;
        long used;
        double ends;
        long granted;
        long refused;

        Window(@Nullable String name, long limit, double seconds) {
            this.name = name;
            this.limit = limit;
            this.seconds = seconds;
            this.ends = seconds;
        }

        void turn(double now) {
            while (now >= ends) {
                ends += seconds;
                used = 0;
            }
        }
    }

    /** A caller that makes one call of a route after the other. */
    static final class Caller {
        final Throttle throttle;
        final List<String> routes;
        final long calls;
        long done;
        double finished = Double.NaN;
        /** Calls that had to wait, without the first one. */
        long waited;

        private @Nullable Attempt attempt;

        Caller(Throttle throttle, long calls, List<String> routes) {
            this.throttle = throttle;
            this.routes = routes;
            this.calls = calls;
        }
    }

    private static final class Attempt {
        final String route;
        final dev.throttle.engine.ThrottledCall call;
        java.util.concurrent.CompletableFuture<Permit> asked;
        double sentAt = Double.NaN;
        boolean hasWaited;

        Attempt(Throttle throttle, String route) {
            this.route = route;
            this.call = Calls.of(throttle).newCall(CallOptions.DEFAULT.route(route));
            this.asked = call.acquireAsync();
        }
    }

    final VirtualTime time = new VirtualTime(1_000_000_000L, 1_700_000_000_000L);
    private final long start = time.nanoTime();
    private final Style style;
    private final Map<String, List<Window>> windowsOf = new LinkedHashMap<>();
    private final List<Caller> callers = new ArrayList<>();
    private final SplittableRandom random = new SplittableRandom(1);

    NamedQuotas(Style style) {
        this.style = style;
    }

    Throttle.Builder throttle() {
        return Throttle.builder()
                .strategy(Strategies.standard())
                .time(time)
                .executor(Runnable::run)
                .maxWait(Duration.ofDays(3))
                .seed(random.nextLong());
    }

    void route(String route, Window... windows) {
        windowsOf.put(route, List.of(windows));
    }

    Caller caller(Throttle throttle, long calls, String... routes) {
        Caller caller = new Caller(throttle, calls, List.of(routes));
        callers.add(caller);
        return caller;
    }

    /** {@return seconds since the start} */
    double now() {
        return (time.nanoTime() - start) / 1e9;
    }

    /** Runs until all callers have made their calls, or the time is over. */
    void run(double seconds) {
        while (now() < seconds && callers.stream().anyMatch(caller -> caller.done < caller.calls)) {
            for (Caller caller : callers) {
                step(caller);
            }
            time.advance(STEP);
        }
    }

    private void step(Caller caller) {
        if (caller.done == caller.calls) {
            return;
        }
        Attempt attempt = caller.attempt;
        if (attempt == null) {
            attempt = new Attempt(caller.throttle, caller.routes.get(random.nextInt(caller.routes.size())));
            caller.attempt = attempt;
        }
        if (Double.isNaN(attempt.sentAt)) {
            if (!attempt.asked.isDone()) {
                attempt.hasWaited = true;
                return;
            }
            attempt.sentAt = now();
        }
        if (now() >= attempt.sentAt + LATENCY_NANOS / 1e9 - 1e-6) {
            boolean accepted = answer(attempt);
            if (accepted) {
                caller.waited += attempt.hasWaited && caller.done > 0 ? 1 : 0;
                caller.done++;
                caller.finished = now();
                caller.attempt = null;
            }
        }
    }

    private boolean answer(Attempt attempt) {
        List<Window> windows = windowsOf.getOrDefault(attempt.route, List.of());
        Window full = null;
        for (Window window : windows) {
            window.turn(now());
            full = window.used >= window.limit ? window : full;
        }
        boolean accepted = full == null;
        for (Window window : windows) {
            window.used += accepted ? 1 : 0;
            window.granted += accepted ? 1 : 0;
        }
        if (full != null) {
            full.refused++;
        }
        Permit permit = attempt.asked.join();
        boolean isRetry = permit.complete(response(accepted, windows)).isRetry();
        if (isRetry) {
            attempt.sentAt = Double.NaN;
            attempt.asked = attempt.call.acquireAsync();
        }
        return accepted;
    }

    private ResponseHead response(boolean accepted, List<Window> windows) {
        double now = now();
        long epoch = time.currentTimeMillis();
        return new ResponseHead() {
            @Override
            public int status() {
                return accepted ? 200 : 429;
            }

            @Override
            public void forEachHeader(HeaderVisitor to) {
                for (Window window : windows) {
                    write(window, now, epoch, to);
                }
            }
        };
    }

    private void write(Window window, double now, long epoch, ResponseHead.HeaderVisitor to) {
        String remaining = Long.toString(window.limit - window.used);
        long reset = (long) Math.ceil(window.ends - now);
        String name = window.name;
        if (name == null) {
            to.visit("X-Rate-Limit-Limit", Long.toString(window.limit));
            to.visit("X-Rate-Limit-Remaining", remaining);
            to.visit("X-Rate-Limit-Reset", Long.toString(reset));
            return;
        }
        switch (style) {
            case GITHUB -> {
                to.visit("x-ratelimit-limit", Long.toString(window.limit));
                to.visit("x-ratelimit-remaining", remaining);
                to.visit("x-ratelimit-reset", Long.toString(epoch / 1000 + reset));
                to.visit("x-ratelimit-resource", name);
            }
            case IETF -> to.visit("RateLimit", '"' + name + "\";r=" + remaining + ";t=" + reset);
            case DISCORD -> {
                to.visit("x-ratelimit-limit", Long.toString(window.limit));
                to.visit("x-ratelimit-remaining", remaining);
                to.visit("x-ratelimit-reset-after", String.format(java.util.Locale.ROOT, "%.3f", window.ends - now));
                to.visit("x-ratelimit-bucket", name);
            }
        }
    }
}
