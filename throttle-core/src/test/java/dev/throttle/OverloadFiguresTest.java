package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The tables of how long a call takes while a server is down are what is measured here: by one caller who makes one
 * call after the other, 100 ms apart, the longest of 20 runs.
 */
@Tag("slow")
class OverloadFiguresTest {

    private static final String REGENERATE = """
            The figures have drifted. If the new ones are meant to be, regenerate the tables, and look at the words around them:
              mvn -Dquick -Dgolden.update -pl throttle-core -am test -Dtest=OverloadFiguresTest -Dsurefire.failIfNoSpecifiedTests=false
            """;

    private static final Path ROOT = Path.of("..");
    private static final int RUNS = 20;
    private static final long FLIGHT_NANOS = 10_000_000;
    private static final long BETWEEN_NANOS = 100_000_000;
    private static final Duration BOUND = Duration.ofSeconds(5);
    private static final List<Duration> OUTAGES =
            List.of(Duration.ofSeconds(5), Duration.ofMinutes(1), Duration.ofMinutes(5), Duration.ofMinutes(30));

    /** The longest call, and the time from the end of the outage to the first success, in seconds. */
    private record Figures(double longest, double back) {

        static Figures of(Signal answer, Duration outage, @Nullable Duration bound) {
            Figures most = new Figures(0, 0);
            for (int seed = 1; seed <= RUNS; seed++) {
                Figures figures = new Run(answer, bound, seed).during(outage);
                most = new Figures(Math.max(most.longest, figures.longest), Math.max(most.back, figures.back));
            }
            return most;
        }
    }

    private static final class Run {

        private final Timeline line = new Timeline();
        private final Throttle throttle;
        private Signal answer;
        private long longest;
        private long firstSuccessAt;

        Run(Signal answer, @Nullable Duration bound, long seed) {
            Throttle.Builder builder = line.throttle(Strategies.standard()).seed(seed);
            throttle = (bound == null ? builder : builder.overloadWait(bound)).build();
            this.answer = answer;
        }

        Figures during(Duration outage) {
            Calls.of(throttle).newCall().acquireForced().end(Signal.SUCCESS);
            call();
            line.advanceMillis(outage.toMillis());
            answer = Signal.SUCCESS;
            long back = line.time.nanoTime();
            line.advanceMillis(60_000);
            assertThat(firstSuccessAt).as("the end of the outage was noticed").isPositive();
            return new Figures(longest / 1e9, (firstSuccessAt - back) / 1e9);
        }

        private void call() {
            attempt(Calls.of(throttle).newCall(), line.time.nanoTime());
        }

        @SuppressWarnings("FutureReturnValueIgnored") // both ways it may end are recorded
        private void attempt(ThrottledCall call, long arrivedAt) {
            call.acquireAsync().whenComplete((permit, failure) -> {
                if (permit == null) {
                    ended(arrivedAt);
                    return;
                }
                line.time.schedule(FLIGHT_NANOS, () -> {
                    Signal said = answer;
                    int status = said == Signal.SUCCESS ? 200 : 503;
                    boolean again = said.outcome() == Outcome.UNREACHABLE
                            ? permit.complete(said).isRetry()
                            : permit.complete(Heads.status(status), said).isRetry();
                    if (again) {
                        attempt(call, arrivedAt);
                    } else {
                        if (said == Signal.SUCCESS && firstSuccessAt == 0) {
                            firstSuccessAt = line.time.nanoTime();
                        }
                        ended(arrivedAt);
                    }
                });
            });
        }

        private void ended(long arrivedAt) {
            longest = Math.max(longest, line.time.nanoTime() - arrivedAt);
            if (firstSuccessAt == 0) {
                line.time.schedule(BETWEEN_NANOS, this::call);
            }
        }
    }

    private static String text(double seconds) {
        return String.format(Locale.ROOT, seconds < 9.95 ? "%.1f s" : "%.0f s", seconds);
    }

    private static String text(Figures figures) {
        return text(figures.longest) + ", back in " + text(figures.back);
    }

    private static String text(Duration outage) {
        return outage.toMinutes() == 0 ? outage.toSeconds() + " s" : outage.toMinutes() + " min";
    }

    @Test
    void theTablesAreWhatIsMeasured() throws IOException {
        StringBuilder tuning = new StringBuilder();
        StringBuilder recipe = new StringBuilder();
        List<String> longest = new ArrayList<>();
        List<String> bounded = new ArrayList<>();
        List<String> back = new ArrayList<>();
        for (Duration outage : OUTAGES) {
            Figures busy = Figures.of(Signal.BUSY, outage, null);
            Figures busyBounded = Figures.of(Signal.BUSY, outage, BOUND);
            Figures away = Figures.of(Signal.UNREACHABLE, outage, null);
            Figures awayBounded = Figures.of(Signal.UNREACHABLE, outage, BOUND);
            String first = text(Math.max(busy.back, busyBounded.back));
            tuning.append(row(text(outage), text(busy), text(busyBounded), text(away), text(awayBounded)));
            recipe.append(row(text(outage), text(busy.longest), text(busyBounded.longest), first));
            if (outage.toMinutes() != 5) {
                longest.add(text(busy.longest));
                bounded.add(text(busyBounded.longest));
                back.add(first);
            }
            assertThat(Math.max(busy.back, busyBounded.back)).as("recovery").isLessThan(10.1);
            assertThat(Math.max(busyBounded.longest, awayBounded.longest))
                    .as("with overloadWait")
                    .isLessThan(5.5);
        }
        check("docs/tuning.md", page -> replaced(page, "(?m)^\\| The server is down for \\|.*\n\\|[-|: ]+\n", tuning));
        check(
                "docs/cookbook/only-503.md",
                page -> replaced(page, "(?m)^\\| The server answers 503 for \\|.*\n\\|[-|: ]+\n", recipe));
        String start = "  | longest call, defaults | " + String.join(" | ", longest) + " |\n"
                + "  | longest call, `overloadWait` 5 s | " + String.join(" | ", bounded) + " |\n"
                + "  | first success after it is back | " + String.join(" | ", back) + " |\n";
        check("README.md", page -> replaced(page, "(?m)^  \\| A server answers 503 for \\|.*\n  \\|[-|: ]+\n", start));
    }

    private static String row(String... cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }

    /** {@return a page with other rows below a head of a table} */
    private static String replaced(String page, String head, CharSequence rows) {
        assertThat(page).as("the page has the table").containsPattern(head);
        return page.replaceFirst("(" + head + ")(?: *\\|.*\n)+", "$1" + Matcher.quoteReplacement(rows.toString()));
    }

    private static void check(String name, UnaryOperator<String> change) throws IOException {
        Path path = ROOT.resolve(name);
        String page = Files.readString(path);
        String changed = change.apply(page);
        if (System.getProperty("golden.update") != null) {
            Files.writeString(path, changed);
            return;
        }
        assertThat(page).as(REGENERATE + name).isEqualTo(changed);
    }
}
