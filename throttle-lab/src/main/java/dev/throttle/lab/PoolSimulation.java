package dev.throttle.lab;

import dev.throttle.CallOptions;
import dev.throttle.Pool;
import dev.throttle.ResultClassifier;
import dev.throttle.ThrottleRegistry;
import dev.throttle.internal.Preconditions;
import dev.throttle.lab.peer.CooldownRouter;
import dev.throttle.lab.server.Answer;
import dev.throttle.lab.server.HeaderStyle;
import dev.throttle.lab.server.Outage;
import dev.throttle.lab.server.ServerKind;
import dev.throttle.lab.server.ServerScript;
import dev.throttle.lab.server.ServerSpec;
import dev.throttle.lab.server.SimulatedServer;
import dev.throttle.lab.server.Weight;
import dev.throttle.signal.ResponseHead;
import dev.throttle.testing.VirtualTime;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;

/**
 * Servers with different quotas side by side, which can do the same work, and a program whose callers have so many
 * requests to make. On virtual time, with all randomness from the seed.
 *
 * @param servers the servers
 * @param callers how many callers there are, each with one call at a time
 * @param calls how many calls the program makes in all
 * @param seed the source of all randomness
 */
record PoolSimulation(List<Server> servers, int callers, int calls, long seed) {

    /** A caller whose call has failed makes the next one after this time. */
    private static final long PAUSE_NANOS = 1_000_000_000L;

    private static final long MINUTE_NANOS = 60_000_000_000L;

    private static final Duration LONGEST = Duration.ofHours(6);

    PoolSimulation {
        servers = List.copyOf(servers);
        Preconditions.between("--callers", callers, 1, 100_000);
        Preconditions.between("--calls", calls, 1, 10_000_000);
    }

    /**
     * One of the servers.
     *
     * @param name its name
     * @param spec how it limits, and what it tells
     * @param latency the time of both ways together
     */
    record Server(String name, ServerSpec spec, Duration latency) {}

    /**
     * What came of the calls.
     *
     * @param nanos when the last call had ended
     * @param sent requests that were sent
     * @param refused those of them that were refused because of a quota
     * @param unreached those of them that found no server
     * @param failed calls that failed
     * @param accepted requests that each server accepted
     * @param used which share of all that the servers granted up to the last whole minute was used, from 0 to 1
     */
    record Result(long nanos, long sent, long refused, long unreached, long failed, List<Long> accepted, double used) {

        double refusedShare() {
            return sent == 0 ? 0 : (double) refused / sent;
        }
    }

    /** Sends the calls of a program, each to one server or another. */
    interface Client {

        /**
         * Makes one call.
         *
         * @param wire sends one request
         * @return completes with whether it was accepted
         */
        CompletableFuture<Boolean> call(Wire wire);
    }

    /** Sends one request to a server. */
    interface Wire {

        /**
         * Sends it.
         *
         * @param server the index of the server
         * @return completes with the answer; fails if there was no connection
         */
        CompletableFuture<ResponseHead> send(int server);
    }

    /** {@return three servers: a large one that is away for a minute, a slow one, and a small one without headers} */
    static List<Server> usual() {
        ServerScript away = new ServerScript(
                Duration.ZERO,
                List.of(),
                List.of(new Outage(Duration.ofMinutes(4), Duration.ofMinutes(1), Answer.REFUSED, false)),
                List.of(),
                0,
                Duration.ZERO,
                Weight.ONE,
                null);
        Duration minute = Duration.ofMinutes(1);
        return List.of(
                new Server(
                        "large",
                        new ServerSpec(ServerKind.FIXED_WINDOW, 600, minute, null, HeaderStyle.IETF, true, away),
                        Duration.ofMillis(100)),
                new Server(
                        "slow",
                        new ServerSpec(ServerKind.TOKEN_BUCKET, 240, minute, null, HeaderStyle.LEGACY, true),
                        Duration.ofSeconds(3)),
                new Server(
                        "silent",
                        new ServerSpec(ServerKind.FIXED_WINDOW, 120, minute, null, HeaderStyle.NONE, true),
                        Duration.ofMillis(100)));
    }

    /** {@return what a pool does} */
    Result withPool() {
        Run run = new Run();
        ThrottleRegistry registry = ThrottleRegistry.builder()
                .name("lab")
                .maxWait(Duration.ofDays(1))
                .time(run.time)
                .executor(Runnable::run)
                .seed(seed)
                .build();
        Pool pool = Pool.builder(registry)
                .members(servers.stream()
                        .map(server -> Pool.member(server.name()))
                        .toArray(Pool.Member[]::new))
                .build();
        return run.result(wire -> callOf(pool, registry, wire));
    }

    private CompletableFuture<Boolean> callOf(Pool pool, ThrottleRegistry registry, Wire wire) {
        int[] to = new int[1];
        ResultClassifier<ResponseHead> classifier =
                head -> registry.get(servers.get(to[0]).name()).read(head);
        return pool.executeAsync(
                        CallOptions.DEFAULT,
                        member -> {
                            to[0] = indexOf(member);
                            return wire.send(to[0]);
                        },
                        classifier)
                .handle((head, failure) -> failure == null && isAccepted(head));
    }

    private int indexOf(String name) {
        for (int i = 0; i < servers.size(); i++) {
            if (servers.get(i).name().equals(name)) {
                return i;
            }
        }
        throw new IllegalArgumentException(name);
    }

    private static boolean isAccepted(ResponseHead head) {
        return head.status() < 300;
    }

    /**
     * {@return what a router does that sends each call to any server that is not cooling down}
     *
     * @param retries how often it tries again, elsewhere or later
     */
    Result withRouter(int retries) {
        Run run = new Run();
        CooldownRouter router = new CooldownRouter(servers.size(), retries, run.time, new SplittableRandom(seed));
        return run.result(wire -> router.call(wire::send));
    }

    /** {@return what a program does that knows of each server when it takes the next request} */
    Result ideal() {
        Run run = new Run();
        return run.result(run::knowing);
    }

    private final class Run {

        private final VirtualTime time = new VirtualTime();
        private final long start = time.nanoTime();
        private final List<SimulatedServer> started = new ArrayList<>();
        private final long[] accepted = new long[servers.size()];
        /** Requests on their way to each server. */
        private final long[] underWay = new long[servers.size()];

        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private long sent;
        private long refused;
        private long unreached;
        private long failed;
        /** The last whole minute, and how many requests had been accepted by then. */
        private long minute;

        private long acceptedByMinute;
        private int begun;
        private int ended;

        Run() {
            for (Server server : servers) {
                started.add(server.spec().startKnowable(seed));
            }
        }

        Result result(Client client) {
            eachMinute();
            for (int i = 0; i < callers; i++) {
                next(client);
            }
            time.schedule(
                    LONGEST.toNanos(), () -> done.completeExceptionally(new IllegalStateException("it does not end")));
            time.await(done);
            long nanos = time.nanoTime() - start;
            double granted = 0;
            for (int i = 0; i < servers.size(); i++) {
                granted += grantable(i, minute);
            }
            List<Long> ofEach = LongStream.of(accepted).boxed().toList();
            double used = granted == 0 ? Double.NaN : acceptedByMinute / granted;
            return new Result(nanos, sent, refused, unreached, failed, ofEach, used);
        }

        private void eachMinute() {
            time.schedule(MINUTE_NANOS, () -> {
                minute = time.nanoTime() - start;
                acceptedByMinute = LongStream.of(accepted).sum();
                eachMinute();
            });
        }

        /** {@return what a server grants in all while it is there} What it grants while it is away is lost. */
        private double grantable(int index, long nanos) {
            SimulatedServer server = servers.get(index).spec().startKnowable(seed);
            LongPredicate isThere = now -> servers.get(index).spec().script().outages().stream()
                    .noneMatch(outage ->
                            now >= outage.from().toNanos() && now < outage.end().toNanos());
            double granted = 0;
            long step = MINUTE_NANOS / 10_000;
            for (long now = 0; now < nanos; now += step) {
                while (isThere.test(now) && server.remaining(now) > 0) {
                    server.answer(now);
                    granted++;
                }
            }
            return granted;
        }

        private void next(Client client) {
            if (begun == calls) {
                return;
            }
            begun++;
            CompletableFuture<?> unused = client.call(this::send).whenComplete((isAccepted, failure) -> {
                boolean isGood = failure == null && isAccepted;
                failed += isGood ? 0 : 1;
                if (++ended == calls) {
                    done.complete(null);
                } else {
                    time.schedule(isGood ? 0 : PAUSE_NANOS, () -> next(client));
                }
            });
        }

        private CompletableFuture<ResponseHead> send(int index) {
            CompletableFuture<ResponseHead> answered = new CompletableFuture<>();
            long half = servers.get(index).latency().toNanos() / 2;
            sent++;
            underWay[index]++;
            time.schedule(half, () -> {
                underWay[index]--;
                Answer answer = started.get(index).answer(time.nanoTime() - start);
                long epochMillis = time.currentTimeMillis();
                accepted[index] += answer.isAccepted() ? 1 : 0;
                refused += answer.isAccepted() || answer.isConnectionRefused() ? 0 : 1;
                unreached += answer.isConnectionRefused() ? 1 : 0;
                time.schedule(half, () -> {
                    if (answer.isConnectionRefused()) {
                        answered.completeExceptionally(new ConnectException("connection refused"));
                    } else {
                        answered.complete(servers.get(index).spec().response(answer, epochMillis));
                    }
                });
            });
            return answered;
        }

        /** Sends a call to the first server that will accept it when it arrives. */
        private CompletableFuture<Boolean> knowing(Wire wire) {
            CompletableFuture<Boolean> call = new CompletableFuture<>();
            ask(wire, call);
            return call;
        }

        @SuppressWarnings("FutureReturnValueIgnored") // it does not fail
        private void ask(Wire wire, CompletableFuture<Boolean> call) {
            for (int i = 0; i < servers.size(); i++) {
                long arrival =
                        time.nanoTime() - start + servers.get(i).latency().toNanos() / 2;
                boolean isAway = servers.get(i).spec().script().outages().stream()
                        .anyMatch(outage -> arrival >= outage.from().toNanos()
                                && arrival < outage.end().toNanos());
                if (!isAway && started.get(i).remaining(arrival) - underWay[i] > 0) {
                    wire.send(i).whenComplete((head, failure) -> call.complete(isAccepted(head)));
                    return;
                }
            }
            time.schedule(5_000_000, () -> ask(wire, call));
        }
    }
}
