package dev.throttle.lab.sim;

import dev.throttle.lab.server.Answer;
import dev.throttle.lab.server.SimulatedServer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What was seen of one run. Times are nanoseconds from its start. */
public final class RunRecord {

    private final Scenario scenario;
    private final long serverSeed;
    private final List<ProcessRecord> processes = new ArrayList<>();
    private final LongList callWaits = new LongList();
    private final @Nullable LongList answeredAt;
    private final @Nullable LongList remaining;
    private final @Nullable LongList refusedAt;
    private double grantable;
    private double sustainedPerSecond;
    private final double[] grantableCost = {Double.NaN, Double.NaN};
    private long failed;
    private long refusedThoughTold;
    private long endedAt;
    private boolean stopped;
    private long storeCommands = -1;

    RunRecord(Scenario scenario, boolean traced) {
        this(scenario, traced, 0);
    }

    RunRecord(Scenario scenario, boolean traced, long serverSeed) {
        this.scenario = scenario;
        this.serverSeed = serverSeed;
        this.answeredAt = traced ? new LongList() : null;
        this.remaining = traced ? new LongList() : null;
        this.refusedAt = traced ? new LongList() : null;
    }

    ProcessRecord join(int number, long now) {
        ProcessRecord process = new ProcessRecord(this, number, scenario.threadRecords(), now, answeredAt != null);
        processes.add(process);
        return process;
    }

    void answered(long now, Answer answer) {
        if (answeredAt != null && remaining != null && refusedAt != null) {
            if (answer.remaining() != Answer.UNKNOWN) {
                answeredAt.add(now);
                remaining.add(answer.remaining());
            }
            if (!answer.isAccepted()) {
                refusedAt.add(now);
            }
        }
    }

    void callEnded(long waited) {
        callWaits.add(waited);
    }

    void callFailed() {
        failed++;
    }

    /** A request was refused that left after an answer had told what was left. */
    void wasRefusedThoughTold() {
        refusedThoughTold++;
    }

    void ended(long now, boolean wasStopped, SimulatedServer server, long commands) {
        endedAt = now;
        storeCommands = commands;
        stopped = wasStopped;
        grantable = server.grantable(now);
        sustainedPerSecond = server.sustainedPerSecond();
        for (int i = 0; i < grantableCost.length; i++) {
            grantableCost[i] = server.grantableCost(i, now);
        }
    }

    /** {@return what was simulated} */
    public Scenario scenario() {
        return scenario;
    }

    /** {@return the processes, in the order they came} */
    public List<ProcessRecord> processes() {
        return processes;
    }

    /** {@return how many commands the processes sent to the store of their fleet; -1 without a fleet} */
    long storeCommands() {
        return storeCommands;
    }

    long failed() {
        return failed;
    }

    /** {@return how many requests were refused that left after an answer had told what was left} */
    public long refusedThoughTold() {
        return refusedThoughTold;
    }

    /** {@return the source of the server's randomness} */
    long serverSeed() {
        return serverSeed;
    }

    /** {@return how many requests could have been accepted, had everything been known} */
    public long acceptable() {
        return Ideal.accepted(this);
    }

    /** {@return the cost of what was accepted, of one limit} */
    double acceptedCost(int index) {
        return processes.stream()
                .mapToDouble(process -> process.acceptedCost(index))
                .sum();
    }

    /** {@return how much cost the server could have granted, of one limit; NaN if it has no such limit} */
    double grantableCost(int index) {
        return grantableCost[index];
    }

    /** {@return the cost of what was accepted, of all limits} */
    public double acceptedCost() {
        return acceptedCost(0) + acceptedCost(1);
    }

    /** {@return the cost of what could have been accepted, had everything been known} */
    public double acceptableCost() {
        return Ideal.acceptedCost(this);
    }

    /** {@return when the last of all jobs could have been done; null if never, or if there are none} */
    @Nullable Long idealNanos() {
        return Ideal.jobsDoneAt(scenario, serverSeed);
    }

    LongList callWaits() {
        return callWaits;
    }

    /** {@return when it ended} */
    public long endedAt() {
        return endedAt;
    }

    boolean isStopped() {
        return stopped;
    }

    double grantable() {
        return grantable;
    }

    double sustainedPerSecond() {
        return sustainedPerSecond;
    }

    /** {@return when the server answered with a remaining quota; empty if the run was not traced} */
    public LongList answeredAt() {
        return answeredAt == null ? new LongList() : answeredAt;
    }

    /** {@return the remaining quota of each of those answers} */
    public LongList remaining() {
        return remaining == null ? new LongList() : remaining;
    }

    /** {@return when the server refused a request; empty if the run was not traced} */
    public LongList refusedAt() {
        return refusedAt == null ? new LongList() : refusedAt;
    }
}
