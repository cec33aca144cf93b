package dev.throttle.observe;

import dev.throttle.ThrottleReport;
import dev.throttle.ThrottleReport.LearnedLimit;
import dev.throttle.engine.Engine;
import dev.throttle.engine.EnginePolicy;
import dev.throttle.engine.EngineSettings;
import dev.throttle.engine.Events;
import dev.throttle.engine.RecordedCall;
import dev.throttle.engine.Recording;
import dev.throttle.engine.RunMode;
import dev.throttle.observe.Law.Kind;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Says what an engine would have done that has only observed: learns the limits of the server from what was recorded,
 * and makes the recorded calls again on virtual time, against a model with these limits.
 */
public final class DryRun {

    private static final long SECOND = 1_000_000_000L;
    private static final long LEARN_WITHIN_NANOS = 10 * SECOND;
    private static final long END_WITHIN_NANOS = 30 * SECOND;
    private static final double LONG_NANOS = 5e9;
    private static final double MEDIAN = 0.5;
    private static final double P99 = 0.99;
    /** What depends on chance is the mean of so many replays. */
    private static final int REPLAYS = 5;

    private DryRun() {}

    /**
     * {@return what an engine would have done} Takes up to half a minute on the calling thread.
     *
     * @param settings its settings
     * @param recording what it has watched
     * @param key its key
     * @param label the same as it is shown
     * @param unheard events without a listener
     */
    public static ThrottleReport report(
            EngineSettings settings,
            EnginePolicy policy,
            Recording recording,
            String key,
            String label,
            Events unheard) {
        TimeSource clock = settings.time();
        long began = clock.nanoTime();
        Recording.Content content = recording.read();
        List<RecordedCall> all = fromOrigin(content);
        List<RecordedCall> wanted = Repetitions.removedFrom(all);
        BooleanSupplier isLearningOver = () -> clock.nanoTime() - began > LEARN_WITHIN_NANOS;
        List<ModelLimit> limits = all.isEmpty() ? List.of() : new ServerLearner(all, isLearningOver).limits();
        Replays replays = new Replays();
        for (long seed = 1; seed <= REPLAYS; seed++) {
            ServerModel server = new ServerModel(limits, Waits.of(all), all);
            ReplayTime time = new ReplayTime(0);
            Engine engine = new Engine(
                    settings.simulated(enforcing(policy), time),
                    key,
                    label,
                    seed,
                    unheard,
                    () -> {
                        throw new IllegalStateException("it never retires");
                    },
                    () -> RunMode.RUNNING);
            Replay replay = new Replay(wanted, engine, server, time, seed);
            replay.run(() -> clock.nanoTime() - began > END_WITHIN_NANOS);
            replays.add(replay);
        }
        return new ThrottleReport(
                label,
                Duration.ofNanos(began - content.since()),
                content.calls(),
                content.refusals(),
                all.size(),
                all.stream().filter(RecordedCall::isRefused).count(),
                (long) all.size() - wanted.size(),
                replays.refused(),
                replays.percentile(MEDIAN),
                replays.percentile(P99),
                replays.percentile(1),
                replays.delayed(),
                replays.rejected(),
                limits.stream().map(DryRun::learned).toList(),
                explained(limits, all),
                replays.areComplete());
    }

    /** {@return all calls that were kept, the first a second after the origin of the time} */
    private static List<RecordedCall> fromOrigin(Recording.Content content) {
        List<RecordedCall> all = new ArrayList<>();
        content.spans().forEach(all::addAll);
        if (all.isEmpty()) {
            return all;
        }
        long first = all.get(0).at();
        for (RecordedCall call : all) {
            first = call.at() - first < 0 ? call.at() : first;
        }
        long origin = first - SECOND;
        all.replaceAll(call -> call.since(origin));
        all.sort(Comparator.comparingLong(RecordedCall::at));
        return all;
    }

    /** {@return the same without what asks others: guards, and limits that are shared} */
    private static EnginePolicy enforcing(EnginePolicy policy) {
        return policy.simulated(policy.strategies().stream()
                .filter(strategy -> !strategy.isShared())
                .toList());
    }

    private static LearnedLimit learned(ModelLimit limit) {
        Law law = limit.fit().law();
        double amount = limit.fit().limit();
        Telling telling = limit.telling();
        double window = law.kind() == Kind.BUCKET ? law.window() * amount : law.window();
        return new LearnedLimit(
                telling == null ? null : telling.shape().policy(),
                law.kind().text,
                telling == null && law.kind() != Kind.BUCKET ? Math.floor(amount) : amount,
                limit.unit(),
                rounded(window),
                limit.othersShare());
    }

    /** {@return a time as it is known: not to the nanosecond} */
    private static Duration rounded(double nanos) {
        return nanos < LONG_NANOS ? Duration.ofNanos((long) nanos) : Duration.ofSeconds(Math.round(nanos / SECOND));
    }

    private static double explained(List<ModelLimit> limits, List<RecordedCall> all) {
        long judged = all.stream().filter(RecordedCall::isJudged).count();
        if (judged == 0) {
            return 1;
        }
        long refused = all.stream().filter(RecordedCall::isRefused).count();
        long mistakes = limits.isEmpty()
                ? refused
                : limits.stream().mapToLong(limit -> limit.fit().mistakes()).sum();
        return Math.max(0, 1 - (double) mistakes / judged);
    }
}
