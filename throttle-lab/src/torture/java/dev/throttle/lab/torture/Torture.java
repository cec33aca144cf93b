package dev.throttle.lab.torture;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes random calls through the adapters, in rounds. What each call does, and what the servers do to it, is a function
 * of the seed and the number of the call; how the calls meet is not.
 */
public final class Torture {

    private static final int CALLERS = 64;
    private static final int CALLS_OF_A_ROUND = 10_000;
    private static final Duration LONGEST_CALL = Duration.ofMinutes(3);
    private static final Duration LONGEST_READ = Duration.ofMinutes(1);
    private static final int SUBJECT = 3;

    private final long seed;
    private final @Nullable Boolean okHttpOnly;
    private final boolean isBare;
    private final ScaledTime time = new ScaledTime();
    private final Attempts attempts;
    private final Tally tally = new Tally();
    private final AtomicLong numbers = new AtomicLong();
    private final Map<Thread, Running> running = new ConcurrentHashMap<>();
    private final List<Long> heapBytes = new ArrayList<>();
    private volatile boolean isStuck;

    /** The call that a caller is at. */
    private record Running(CallPlan plan, Caller caller, long beganAt) {}

    /**
     * Prepares a run.
     *
     * @param seed what all plans come from
     * @param okHttpOnly whether to use OkHttp alone, or the JDK's client alone; null for both
     * @param isBare whether to use the clients without throttles, to see what they do by themselves
     */
    public Torture(long seed, @Nullable Boolean okHttpOnly, boolean isBare) {
        this.seed = seed;
        this.okHttpOnly = okHttpOnly;
        this.isBare = isBare;
        this.attempts = new Attempts(seed);
    }

    /**
     * Runs until a time is over, or until enough has gone wrong.
     *
     * @param duration how long
     * @param most how many calls at most
     * @param progress is told the number of calls after each round
     * @return what came of it
     * @throws IOException if the servers cannot be started
     * @throws InterruptedException if the thread is interrupted
     */
    public TortureResult run(Duration duration, long most, LongConsumer progress)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + duration.toNanos();
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> daemon(task, "torture-timer"));
        timer.setRemoveOnCancelPolicy(true);
        try {
            while (System.nanoTime() - end < 0 && numbers.get() < most && !isStuck && !tally.isHopeless()) {
                runRound(timer, end, Math.min(most, numbers.get() + CALLS_OF_A_ROUND));
                heapBytes.add(usedHeap());
                progress.accept(numbers.get());
            }
        } finally {
            timer.shutdownNow();
        }
        if (!isStuck) {
            new Leftovers(tally).check(heapBytes, Boolean.TRUE.equals(okHttpOnly));
        }
        return tally.result(attempts.refusals(), List.copyOf(heapBytes));
    }

    /** With servers of its own: MockWebServer keeps what went wrong while it shook hands. */
    private void runRound(ScheduledExecutorService timer, long end, long last)
            throws IOException, InterruptedException {
        try (Servers servers = new Servers(attempts, time)) {
            Round round = new Round(seed, time, isBare);
            makeCalls(round, servers, timer, end, last);
            if (!isStuck) {
                round.end(servers, tally);
            }
        }
    }

    private void makeCalls(Round round, Servers servers, ScheduledExecutorService timer, long end, long last)
            throws InterruptedException {
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            Thread caller = daemon(
                    () -> {
                        while (System.nanoTime() - end < 0 && !tally.isHopeless()) {
                            long number = numbers.getAndIncrement();
                            if (number >= last) {
                                break;
                            }
                            makeCall(number, round, servers, timer);
                        }
                    },
                    "torture-caller-" + i);
            callers.add(caller);
            caller.start();
        }
        for (Thread caller : callers) {
            while (caller.isAlive() && !isStuck) {
                caller.join(1000);
                lookForStuckCalls(round);
            }
        }
        numbers.set(Math.min(numbers.get(), last));
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    private void lookForStuckCalls(Round round) {
        long now = System.nanoTime();
        running.forEach((thread, call) -> {
            if (now - call.beganAt > LONGEST_READ.toNanos() && call.caller.letGo(thread.getStackTrace())) {
                tally.lostByJdk();
            }
            if (now - call.beganAt > LONGEST_CALL.toNanos()) {
                isStuck = true;
                StringBuilder stack = new StringBuilder();
                for (StackTraceElement frame : thread.getStackTrace()) {
                    stack.append("\n    at ").append(frame);
                }
                tally.left(told(call.plan, "it has not ended") + stack + "\n  " + round.told(call.plan));
            }
        });
    }

    private void makeCall(long number, Round round, Servers servers, ScheduledExecutorService timer) {
        CallPlan plan = CallPlan.of(seed, number, okHttpOnly);
        try {
            Disturbance disturbance = Disturbance.before(seed, number);
            if (disturbance != null && (!isBare || disturbance.endsCalls())) {
                round.disturb(disturbance, new Dice(seed, number, SUBJECT));
            }
            attempts.begin(number);
            makeCall(plan, round, servers, timer);
        } catch (Throwable e) {
            tally.wrong(told(plan, "the run itself failed: " + e + " at " + List.of(e.getStackTrace())));
        } finally {
            running.remove(Thread.currentThread());
        }
    }

    private void makeCall(CallPlan plan, Round round, Servers servers, ScheduledExecutorService timer) {
        long disturbedBefore = round.disturbances();
        Clients clients = round.clients();
        Caller caller = clients.caller(plan, servers.url(plan));
        Meddler meddler = new Meddler(caller::cancel);
        meddler.arm(plan, timer);
        running.put(Thread.currentThread(), new Running(plan, caller, System.nanoTime()));
        Ending ending = caller.run();
        clients.ended(caller, ending);
        boolean wasInterrupted = meddler.end();
        boolean isInterrupted = Thread.interrupted();
        int requests = attempts.end(plan.number());
        tally.count(ending);
        boolean isDisturbed =
                clients.isRetired() || round.disturbances() != disturbedBefore || disturbedBefore % 2 != 0;
        String wrong = new Verdict(seed, plan, ending, requests).wrong(isDisturbed, wasInterrupted, isInterrupted);
        if (caller.endings() != 1 && !(caller.endings() == 0 && plan.door().isOkHttp())) {
            wrong = "it ended " + caller.endings() + " times";
        }
        if (wrong != null) {
            tally.wrong(told(plan, wrong) + ": " + ending + stack(ending));
        }
    }

    private static String stack(Ending ending) {
        Throwable thrown = ending.thrown();
        StringBuilder stack = new StringBuilder();
        for (; thrown != null; thrown = thrown.getCause()) {
            stack.append("\n  ").append(thrown);
            for (StackTraceElement frame : thrown.getStackTrace()) {
                stack.append("\n    at ").append(frame);
            }
        }
        return stack.toString();
    }

    private String told(CallPlan plan, String what) {
        StringBuilder told = new StringBuilder("seed " + seed + ", " + plan + "\n  " + what);
        for (int attempt = 0; attempt < 3; attempt++) {
            told.append("\n  answer ")
                    .append(attempt)
                    .append(": ")
                    .append(AnswerPlan.of(seed, plan.number(), attempt, plan.wire()));
        }
        return told.toString();
    }

    private static long usedHeap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
