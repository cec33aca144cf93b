package dev.throttle.lab.server;

import dev.throttle.internal.DurationText;
import dev.throttle.internal.Preconditions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What happens to a server besides its limit, and what it tells inexactly.
 *
 * @param phase how long before the start the first window of a fixed window began
 * @param strays refusals for no reason
 * @param outages times in which it is not there, restarts among them; sorted by time
 * @param capacityChanges moments from which on it grants more or less; sorted by time
 * @param jitterRemaining by how much the remaining quota that it tells may be wrong, either way
 * @param resetSkew how much later than in truth the resets are that it tells
 * @param weight how many units of the quota each request takes
 * @param second a further limit; null for none
 */
public record ServerScript(
        Duration phase,
        List<Stray> strays,
        List<Outage> outages,
        List<CapacityChange> capacityChanges,
        long jitterRemaining,
        Duration resetSkew,
        Weight weight,
        @Nullable SecondLimit second) {

    /** Nothing of it. */
    public static final ServerScript NONE =
            new ServerScript(Duration.ZERO, List.of(), List.of(), List.of(), 0, Duration.ZERO, Weight.ONE, null);

    public ServerScript {
        strays = List.copyOf(strays);
        outages = outages.stream().sorted(Comparator.comparing(Outage::from)).toList();
        capacityChanges = capacityChanges.stream()
                .sorted(Comparator.comparing(CapacityChange::at))
                .toList();
        Preconditions.check(jitterRemaining >= 0, "--jitter-remaining", jitterRemaining, "a whole number of 0 or more");
        for (Outage outage : outages) {
            Preconditions.check(
                    !outage.length().isZero(),
                    outage.option(),
                    DurationText.format(outage.length()),
                    "when it begins and how long it lasts, above zero, such as 5m:2m");
        }
    }

    void check(ServerKind kind, long capacity, Duration window) {
        if (kind == ServerKind.LLM) {
            checkForCosts();
        } else if (!kind.isPlain()) {
            checkForMoreThanAQuota("nothing if the server is " + Words.of(kind));
        }
        if (!phase.isZero()) {
            Preconditions.check(
                    kind == ServerKind.FIXED_WINDOW,
                    "--phase",
                    DurationText.format(phase),
                    "nothing unless the server is fixed-window");
            Preconditions.check(
                    phase.compareTo(window) < 0,
                    "--phase",
                    DurationText.format(phase),
                    "a duration below the window, " + DurationText.format(window));
        }
        Preconditions.check(
                weight.equals(Weight.ONE) || kind != ServerKind.BUSY,
                "--weight",
                weight.least() + ":" + weight.most(),
                "nothing if the server is busy");
        Preconditions.check(weight.most() <= capacity, "--weight", weight.most(), "at most the capacity, " + capacity);
        for (CapacityChange change : capacityChanges) {
            Preconditions.check(
                    capacity * change.factor() >= 1 && capacity * change.factor() <= ServerSpec.MOST,
                    "--capacity-change",
                    "x" + change.factor(),
                    "a factor that leaves a capacity of 1 to " + ServerSpec.MOST);
        }
    }

    private void checkForMoreThanAQuota(String takes) {
        Preconditions.check(capacityChanges.isEmpty(), "--capacity-change", capacityChanges.size(), takes);
        Preconditions.check(weight.equals(Weight.ONE), "--weight", weight.least() + ":" + weight.most(), takes);
        Preconditions.check(second == null, "--second-limit", second == null ? 0 : second.capacity(), takes);
    }

    private void checkForCosts() {
        String takes = "nothing if the server is llm";
        checkForMoreThanAQuota(takes);
        long restarts = outages.stream().filter(Outage::forgets).count();
        Preconditions.check(restarts == 0, "--restart", restarts, takes);
        Preconditions.check(jitterRemaining == 0, "--jitter-remaining", jitterRemaining, takes);
        Preconditions.check(resetSkew.isZero(), "--reset-skew", DurationText.format(resetSkew), takes);
    }

    /** A moment from which on the server is another one: its capacity has changed, or it has lost all counts. */
    record Turn(Duration at, double factor, boolean forgets) {}

    /**
     * {@return the changes of the capacity and the ends of restarts, sorted by time} A server that comes back has the
     * capacity that it had.
     */
    List<Turn> turns() {
        List<Turn> turns = new ArrayList<>();
        for (CapacityChange change : capacityChanges) {
            turns.add(new Turn(change.at(), change.factor(), false));
        }
        for (Outage outage : outages) {
            if (outage.forgets()) {
                turns.add(new Turn(outage.end(), factorAt(outage.end()), true));
            }
        }
        turns.sort(Comparator.comparing(Turn::at));
        return turns;
    }

    private double factorAt(Duration at) {
        double factor = 1;
        for (CapacityChange change : capacityChanges) {
            factor = change.at().compareTo(at) <= 0 ? change.factor() : factor;
        }
        return factor;
    }

    /**
     * {@return what a client that knew everything would meet} That is the limit, the outages, the changes of the
     * capacity, and the refusals that ask to wait, which no client can foresee or ignore.
     */
    ServerScript knowable() {
        List<Stray> asking = strays.stream().filter(Stray::hint).toList();
        return new ServerScript(phase, asking, outages, capacityChanges, 0, Duration.ZERO, weight, second);
    }
}
