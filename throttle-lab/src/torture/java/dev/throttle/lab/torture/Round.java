package dev.throttle.lab.torture;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import okhttp3.tls.HandshakeCertificates;
import org.jspecify.annotations.Nullable;

/** Throttles and clients for some thousand calls, which must leave nothing behind. */
final class Round {

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final long PAUSE_MILLIS = 10;

    /** Before Java 21 the JDK's client ends when it is unreachable and its servers have gone; a bare one as well. */
    private static final boolean CLIENTS_CAN_BE_CLOSED = Runtime.version().feature() >= 21;

    private final ScaledTime time;
    private final boolean isBare;
    private final ThrottleRegistry throttles;
    private final HandshakeCertificates trust = Servers.trust();
    private final ConcurrentLinkedQueue<Clients> all = new ConcurrentLinkedQueue<>();
    private final AtomicLong disturbances = new AtomicLong();
    private volatile Clients clients;

    Round(long seed, ScaledTime time, boolean isBare) {
        this.time = time;
        this.isBare = isBare;
        this.throttles = ThrottleRegistry.builder()
                .time(time)
                .seed(seed)
                .maxKeys(100)
                .idleExpiry(Duration.ofSeconds(20))
                .maxWait(Duration.ofSeconds(30))
                .build();
        this.clients = renewed();
    }

    private Clients renewed() {
        Clients made = new Clients(isBare ? null : throttles, trust);
        all.add(made);
        return made;
    }

    Clients clients() {
        return clients;
    }

    /** {@return how often calls were ended that had not asked for it; it changes before they are} */
    long disturbances() {
        return disturbances.get();
    }

    void disturb(Disturbance disturbance, Dice dice) throws InterruptedException {
        if (disturbance.endsCalls()) {
            disturbances.incrementAndGet();
        }
        if (disturbance == Disturbance.RETIRE_CLIENTS) {
            Clients old;
            synchronized (this) {
                old = clients;
                clients = renewed();
            }
            old.retire(dice);
        } else if (disturbance.endsCalls()) {
            clients.cancelAll(disturbance == Disturbance.CANCEL_ALL_PARKED);
        } else {
            disturbance.disturb(throttles, dice);
        }
        if (disturbance.endsCalls()) {
            disturbances.incrementAndGet();
        }
    }

    /** Ends everything, and tells what is left. */
    void end(Servers servers, Tally tally) throws InterruptedException {
        List<Clients> ending = List.copyOf(all);
        awaitNothing(tally, () -> {
            for (Clients each : ending) {
                String left = each.left();
                if (left != null) {
                    return left;
                }
            }
            return null;
        });
        awaitNothing(tally, this::leftInThrottles);
        for (Clients each : ending) {
            if (!each.end(PATIENCE, tally)) {
                tally.left("the JDK's client has not ended");
            }
        }
        if (!CLIENTS_CAN_BE_CLOSED) {
            servers.closeConnections();
        }
        awaitNothing(tally, () -> servers.openConnections() == 0 ? null : "connections are left: " + servers);
        for (Clients each : ending) {
            if (!each.endThreads(PATIENCE)) {
                tally.left("threads of the JDK's client");
            }
        }
    }

    /** {@return what the throttle of a call is doing} */
    String told(CallPlan plan) {
        Throttle throttle = throttles.getIfPresent("k" + plan.key());
        return throttle == null
                ? "the key has no throttle"
                : throttle.snapshot() + "\n  " + throttle.explainWait() + "\n  "
                        + throttle.estimateWait(CallOptions.DEFAULT);
    }

    private @Nullable String leftInThrottles() {
        for (Throttle throttle : throttles.all()) {
            ThrottleSnapshot snapshot = throttle.snapshot();
            if (snapshot.inFlight() + snapshot.waiting() > 0) {
                return throttle + ": in flight " + snapshot.inFlight() + ", waiting " + snapshot.waiting();
            }
        }
        return time.entries() == 0 ? null : "entries on the timer: " + time.entries();
    }

    private static void awaitNothing(Tally tally, Supplier<@Nullable String> left) throws InterruptedException {
        long begin = System.nanoTime();
        String what = left.get();
        while (what != null) {
            if (System.nanoTime() - begin > PATIENCE.toNanos()) {
                tally.left(what);
                return;
            }
            Thread.sleep(PAUSE_MILLIS);
            what = left.get();
        }
    }
}
