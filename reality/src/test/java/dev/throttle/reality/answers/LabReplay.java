package dev.throttle.reality.answers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.lab.LabArguments;
import dev.throttle.lab.server.Answer;
import dev.throttle.lab.server.ServerSpec;
import dev.throttle.lab.server.SimulatedServer;
import dev.throttle.reality.Kind;
import dev.throttle.reality.Limit;
import dev.throttle.reality.Product;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** Asks a product at random times, and then servers of the lab at the same times. */
public final class LabReplay {

    private static final int WINDOWS = 2;
    private static final double MORE_THAN_A_WINDOW = 1.15;
    private static final double[] PAUSES = {0.02, 0.1, 0.3, MORE_THAN_A_WINDOW};

    private LabReplay() {}

    /** Asserts that the server of the lab that stands for a product could have answered the same. */
    public static void assertSame(Product product, URI uri) throws IOException, InterruptedException {
        List<RawAnswer> seen = ask(product, uri);
        Candidates candidates = new Candidates(product, LabArguments.server(product.lab()), seen.get(0));
        for (int i = 0; i < seen.size(); i++) {
            Set<Claim> claims = candidates.ask(seen.get(i));
            assertThat(candidates.left())
                    .as(
                            "%s: request %d of %d after %.3f s%nthe product: %s%nthe lab: %s%nbefore: %s",
                            product.name(),
                            i + 1,
                            seen.size(),
                            (seen.get(i).sentNanos() - seen.get(0).sentNanos()) / 1e9,
                            seen.get(i).aboutLimits(),
                            claims,
                            i == 0 ? "nothing" : seen.get(i - 1).aboutLimits())
                    .isPositive();
        }
    }

    /** Groups of requests at once and pauses between them, some of which let a window pass. */
    private static List<RawAnswer> ask(Product product, URI uri) throws IOException, InterruptedException {
        Limit limit = product.limit();
        SplittableRandom random = new SplittableRandom(product.name().hashCode());
        List<RawAnswer> answers = new ArrayList<>();
        // A server that has just started is slow, so that it is not known when its first window begins.
        answers.add(RawAnswer.get(uri));
        answers.add(RawAnswer.get(uri));
        pause(limit, MORE_THAN_A_WINDOW);
        long end = System.nanoTime() + limit.per().multipliedBy(WINDOWS).toNanos();
        int group = limit.burst() + 4;
        do {
            for (int i = 0; i < group; i++) {
                answers.add(RawAnswer.get(uri));
            }
            pause(limit, PAUSES[random.nextInt(PAUSES.length)] * random.nextDouble(0.9, 1.1));
            group = 1 + random.nextInt(limit.burst() / 4 + 1);
        } while (System.nanoTime() < end);
        return answers;
    }

    private static void pause(Limit limit, double windows) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep((long) (limit.per().toNanos() * windows));
    }

    /**
     * Servers of the lab that have seen the same requests. When a request reached the product is not known to the
     * microsecond, the clocks of products tick each millisecond, and where windows are those of a grid, it may be any
     * grid. So each of them supposes other times, and those that answer otherwise than the product are left out. When
     * few are left, they are copied, and the copies suppose other times from then on (a particle filter).
     */
    private static final class Candidates {

        private static final int COUNT = 2000;
        private static final int COUNT_ON_UNKNOWN_GRID = 20_000;
        private static final long MILLI = 1_000_000L;
        /** Longer than a request takes to reach a server that delays answers. */
        private static final long LONGEST_WAY = TimeUnit.MILLISECONDS.toNanos(3);

        private final ServerSpec spec;
        private final RawAnswer first;
        private final long longestWay;
        private final SplittableRandom random = new SplittableRandom(1);
        private List<Candidate> candidates;

        Candidates(Product product, ServerSpec spec, RawAnswer first) {
            this.spec = spec;
            this.longestWay = product.kind() == Kind.DELAY ? LONGEST_WAY : Long.MAX_VALUE;
            this.first = first;
            this.candidates = new ArrayList<>();
            for (int i = 0; i < COUNT; i++) {
                add(0);
            }
            if (product.limit().onGrid()) {
                long per = product.limit().per().toNanos();
                long epoch = first.sentMillis() * MILLI % per;
                for (int i = 0; i < COUNT; i++) {
                    add(epoch + random.nextLong(MILLI));
                }
                for (int i = 0; i < COUNT_ON_UNKNOWN_GRID; i++) {
                    add(random.nextLong(per));
                }
            }
        }

        /** Adds a server whose time begins when the first request reached the product, or a phase earlier. */
        private void add(long phase) {
            long arrival = random.nextLong(way(first));
            candidates.add(Candidate.of(spec, phase + random.nextLong(MILLI) - arrival, List.of()));
        }

        private long way(RawAnswer answer) {
            return Math.min(longestWay, answer.receivedNanos() - answer.sentNanos());
        }

        /** {@return what they claim, each claim once} */
        Set<Claim> ask(RawAnswer seen) {
            Claim right = Claim.of(seen);
            Set<Claim> claims = new HashSet<>();
            List<Candidate> same = new ArrayList<>();
            for (Candidate candidate : candidates) {
                long arrival = seen.sentNanos() - first.sentNanos() + random.nextLong(way(seen));
                long now = Math.max(0, arrival + candidate.ahead()) / MILLI * MILLI;
                Answer answer = candidate.answer(now);
                // Some look at the clock again to tell when the window ends, a moment after they have counted.
                long toldMillis = (now + random.nextLong(way(seen))) / MILLI;
                Claim claim = Claim.of(spec, answer, first.sentMillis() + toldMillis, seen.sentMillis());
                claims.add(claim);
                if (claim.agreesWith(right)) {
                    same.add(candidate);
                }
            }
            candidates = same;
            replenish();
            return claims;
        }

        private void replenish() {
            int survivors = candidates.size();
            for (int i = 0; survivors > 0 && candidates.size() < COUNT; i++) {
                Candidate survivor = candidates.get(i % survivors);
                candidates.add(Candidate.of(spec, survivor.ahead(), survivor.asked()));
            }
        }

        int left() {
            return candidates.size();
        }
    }

    /**
     * A server of the lab.
     *
     * @param server the server
     * @param ahead how much later its time is than the time since the first request was sent
     * @param asked when it was asked so far
     */
    private record Candidate(SimulatedServer server, long ahead, List<Long> asked) {

        /** {@return a new server that has been asked before} */
        static Candidate of(ServerSpec spec, long ahead, List<Long> asked) {
            Candidate candidate = new Candidate(spec.start(), ahead, new ArrayList<>());
            asked.forEach(candidate::answer);
            return candidate;
        }

        Answer answer(long now) {
            asked.add(now);
            return server.answer(now);
        }
    }
}
