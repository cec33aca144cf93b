package dev.throttle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.throttle.lease.fleet.FleetKeys;
import dev.throttle.time.TimeSource;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The scripts of a bucket in a real Redis, whose clock is the test's. Leases of any size are spent in part and given
 * back in any order, before and after they have lapsed.
 */
class BucketScriptsTest {

    private static final long INTERVAL = 1000;
    private static final long AHEAD = 30_000;
    private static final int STEPS = 150;

    private final FleetKeys keys = new FleetKeys("test", true);
    private final RedisProcess redis = new RedisProcess();
    private final RedisStore store = new RedisStore(
            "test",
            Connector.of(RedisURI.create(redis.uri()), Duration.ofSeconds(20), null),
            Duration.ofSeconds(20), // no outage is meant here
            TimeSource.system(),
            ForkJoinPool.commonPool(),
            Listeners.NONE);

    private long now = 1_000_000_000_000L;
    private long tolerance;
    private long valid;

    /** Permits that a process has. When those were due that are late is not known, so they are not spent. */
    private record Held(long due, long gap, long count, String gross, boolean isLate) {

        Held last(long left) {
            return new Held(due + (count - left) * gap, gap, left, gross, isLate);
        }
    }

    @BeforeEach
    void start() {
        store.connect();
        await().atMost(Duration.ofMinutes(1)).until(() -> {
            store.probe(MemoryScripts.RECALL, new String[] {keys.of("known")}, "1");
            return store.watch().isUp();
        });
    }

    @AfterEach
    void stop() {
        store.close();
        redis.close();
    }

    private List<Object> run(Script script, List<String> names, Object... args) {
        String text = script.text().replace("local time = redis.call('TIME')", "local time = {0, ARGV[#ARGV]}");
        assertThat(text).isNotEqualTo(script.text());
        String[] all = new String[args.length + 1];
        for (int i = 0; i < args.length; i++) {
            all[i] = String.valueOf(args[i]);
        }
        all[args.length] = String.valueOf(now);
        return store.probe(Script.of(text), names.toArray(new String[0]), all).join();
    }

    private String name(String kind, int bucket) {
        return keys.of(kind, "bucket" + bucket);
    }

    private Held take(int bucket, String client, long least, long wanted) {
        List<String> names =
                List.of(name("b", bucket), name("s", bucket), name("o", bucket), name("t", bucket), name("r", bucket));
        List<Object> answer = run(
                BucketScripts.TAKE,
                names,
                client,
                INTERVAL,
                valid,
                12 * INTERVAL,
                least,
                wanted,
                3_600_000,
                0,
                0,
                "",
                0,
                tolerance,
                "0",
                AHEAD,
                0,
                0);
        long count = number(answer.get(0));
        long first = number(answer.get(1));
        long late = valid - number(answer.get(3));
        String gross = count == 0 ? "0" : String.valueOf(answer.get(5)).split("\\|")[2];
        return new Held(now + first, (long) Double.parseDouble(String.valueOf(answer.get(2))), count, gross, late > 0);
    }

    private void giveBack(int bucket, Held held) {
        run(
                BucketScripts.GIVE,
                List.of(name("b", bucket), name("r", bucket)),
                held.due,
                held.gap,
                held.count,
                held.gross,
                valid,
                INTERVAL,
                3_600_000);
    }

    private static long number(Object field) {
        return Long.parseLong(String.valueOf(field));
    }

    private static long pick(Random random, long... values) {
        return values[random.nextInt(values.length)];
    }

    /** {@return when permits that were spent became due} */
    private List<Long> spend(int bucket, Random random) {
        long burst = 1 + tolerance / INTERVAL;
        List<Long> spent = new ArrayList<>();
        List<Held> held = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
            now += (long) (-Math.log(1 - random.nextDouble()) * INTERVAL) * pick(random, 0, 1, 1, 4, 10) / 2;
            if (held.isEmpty() || random.nextDouble() < 0.55) {
                long least = pick(random, 1, 1, 1, 1, Math.min(3, burst));
                long wanted = least == 1 ? pick(random, 1, 2, 5, 20) : least;
                Held more = take(bucket, "client" + random.nextInt(3), least, wanted);
                if (more.count > 0) {
                    held.add(more);
                }
                continue;
            }
            Held one = held.remove(random.nextBoolean() ? held.size() - 1 : random.nextInt(held.size()));
            long used = one.isLate || random.nextBoolean()
                    ? 0
                    : random.nextBoolean() ? one.count : random.nextLong(one.count + 1);
            for (long i = 0; i < used; i++) {
                spent.add(one.due + i * one.gap);
            }
            if (used < one.count) {
                giveBack(bucket, one.last(one.count - used));
            }
        }
        return spent.stream().sorted().toList();
    }

    @Test
    void noMoreIsSpentThanDripsInWhateverComesBack() {
        for (int seed = 0; seed < 120; seed++) {
            Random random = new Random(seed);
            tolerance = pick(random, 0, 1, 3, 10, 50) * INTERVAL;
            valid = pick(random, 50, 500, 2000, 8000);
            double state = 0;
            for (long due : spend(seed, random)) {
                assertThat(state - due)
                        .as(String.format(Locale.ROOT, "seed %d, tolerance %d", seed, tolerance))
                        .isLessThanOrEqualTo(tolerance + 50);
                state = Math.max(state, due) + INTERVAL;
            }
        }
    }
}
