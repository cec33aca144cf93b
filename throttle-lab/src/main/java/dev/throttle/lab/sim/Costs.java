package dev.throttle.lab.sim;

import dev.throttle.internal.DurationText;
import dev.throttle.internal.Preconditions;
import dev.throttle.lab.server.Load;
import dev.throttle.lab.server.ServerSpec;
import dev.throttle.lab.server.TokenLimits;
import dev.throttle.signal.Cost;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What calls cost, and what clients know of it.
 *
 * @param first the cost of each call; that of the input, if there is a second one
 * @param output the cost of its output; null for none
 * @param unit what the first cost counts
 * @param estimate how many times the truth a client is told before the call; null if it is told nothing
 * @param changes calls from which on costs are others; sorted
 * @param stream the time from the head of an answer to its end
 * @param settled whether the client is told the truth at the end of the answer
 */
public record Costs(
        LogNormal first,
        @Nullable LogNormal output,
        String unit,
        @Nullable Double estimate,
        List<CostChange> changes,
        Duration stream,
        boolean settled) {

    private static final Duration LONGEST = Duration.ofHours(1);
    private static final double WRONGEST = 1000;
    private static final long MOST = 1_000_000_000;

    public Costs {
        Preconditions.check(
                unit.matches("[a-z][a-z0-9-]{0,31}"),
                "--cost-unit",
                unit,
                "a name of lower-case letters, such as tokens");
        Preconditions.check(
                estimate == null || (estimate >= 1 / WRONGEST && estimate <= WRONGEST),
                "--estimate",
                String.valueOf(estimate),
                "how many times the truth is told, from 0.001 to 1000");
        Preconditions.check(
                stream.compareTo(LONGEST) <= 0, "--stream", DurationText.format(stream), "a duration of at most 1h");
        changes = changes.stream()
                .sorted(Comparator.comparingLong(CostChange::call))
                .toList();
    }

    void check(@Nullable TokenLimits limits) {
        Preconditions.check(
                output == null || (limits != null && limits.outputCapacity() != null),
                "--output-cost",
                output == null ? 0 : output.mean(),
                "nothing without --output-capacity");
        Preconditions.check(
                output != null || limits == null || limits.outputCapacity() == null,
                "--output-capacity",
                String.valueOf(limits == null ? null : limits.outputCapacity()),
                "nothing without --output-cost");
    }

    /** {@return a cost as a client is told it before the call; null if it is told nothing} */
    @Nullable Cost estimate(Load load) {
        return estimate == null ? null : cost(load, estimate);
    }

    /** {@return a cost as it is in truth} */
    Cost truth(Load load) {
        return cost(load, 1);
    }

    private Cost cost(Load load, double factor) {
        long amount = Load.told(load.tokens(), factor);
        return output == null
                ? Cost.of(unit, amount)
                : Cost.of(TokenLimits.INPUT, amount).and(TokenLimits.OUTPUT, Load.told(load.output(), factor));
    }

    /** {@return the most that a call can take of a limit of a server; more would never be answered} */
    static long most(ServerSpec server, int index) {
        TokenLimits limits = server.tokens();
        return limits == null ? MOST : limits.most(index);
    }
}
