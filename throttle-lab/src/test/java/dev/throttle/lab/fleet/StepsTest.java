package dev.throttle.lab.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.lease.file.FileData;
import dev.throttle.lease.fleet.Step;
import dev.throttle.redis.ScriptTexts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The store in a file does, step by step, what the scripts of Redis do: the same answers, and the same state after
 * each. What is asked is made up, within what a fleet asks.
 */
@Tag("slow")
class StepsTest {

    private static final long EPOCH = 1_700_000_000_000_000L;
    private static final int STEPS = 150;
    private static final int SEEDS = 40;
    private static final String[] KEYS = {"b", "s", "o", "t", "r"};
    /**
     * How the names of keys begin under which there are members: sharers, processes, users, and those that are busy.
     */
    private static final String MEMBERS = "sah";

    private static final String[] WINDOW_KEYS = {"w", "s", "o", "t"};

    private final List<String> published = new ArrayList<>();
    private RedisData redis = new RedisData((channel, text) -> published.add(text));
    private LuaScripts scripts = new LuaScripts(redis);
    private FileData file = new FileData();
    private long now = EPOCH;

    /** What a process remembers. */
    private record Seen(String state, long told, long sharers) {}

    private record Lease(long due, long gap, long count, String gross) {}

    private void begin() {
        published.clear();
        redis = new RedisData((channel, text) -> published.add(text));
        scripts = new LuaScripts(redis);
        file = new FileData();
        now = EPOCH;
    }

    private static long pick(Random random, long... values) {
        return values[random.nextInt(values.length)];
    }

    /** {@return what both answer} */
    private List<Object> both(Step step, String[] keys, String[] args, String as) {
        redis.setTime(now);
        file.setTime(now);
        List<Object> expected = scripts.run(ScriptTexts.of(step), keys, args);
        List<Object> answer = file.run(step, keys, args);
        String description = as + " " + step + " " + Arrays.toString(args);
        if (step != Step.GIVE_TO_BUCKET && step != Step.GIVE_TO_WINDOW) { // whose answer nobody reads
            assertThat(sorted(answer)).as(description).isEqualTo(sorted(expected));
        }
        for (String key : keys) {
            if (!MEMBERS.contains(key.substring(0, 1)) && !key.equals("known")) {
                continue;
            }
            assertThat(file.members(key)).as(description + ": " + key).isEqualTo(members(key));
        }
        return answer;
    }

    /** The order of the fields of a hash does not matter. */
    private static List<Object> sorted(List<Object> answer) {
        return answer.stream()
                .map(part -> part instanceof List<?> fields && fields.size() > 4 ? sortedFields(fields) : part)
                .toList();
    }

    private static Object sortedFields(List<?> fields) {
        Map<Object, Object> map = new HashMap<>();
        for (int i = 4; i + 1 < fields.size(); i += 2) {
            map.put(fields.get(i), fields.get(i + 1));
        }
        return List.of(fields.subList(0, 4), map);
    }

    private Map<String, Long> members(String key) {
        Map<String, Long> all = new HashMap<>();
        for (Object member : (List<?>) Objects.requireNonNull(redis.call("ZRANGE", List.of(key, "0", "-1")))) {
            String score = String.valueOf(redis.call("ZSCORE", List.of(key, String.valueOf(member))));
            all.put(String.valueOf(member), (long) Double.parseDouble(score));
        }
        return all;
    }

    private void assertSameLimit(String list, String as) {
        assertThat(file.list(list)).as(as).isEqualTo(redis.call("LRANGE", List.of(list, "0", "-1")));
        assertThat(file.text("b")).as(as).isEqualTo(String.valueOf(redis.call("GET", List.of("b"))));
        assertThat(file.text("o")).as(as).isEqualTo(String.valueOf(redis.call("GET", List.of("o"))));
        for (String client : List.of("client0", "client1", "client2")) {
            assertThat(String.valueOf(file.map("t").get(client)))
                    .isEqualTo(String.valueOf(redis.call("HGET", List.of("t", client))));
        }
    }

    private void somethingHappens(Random random) {
        now += 7 + (long) (-Math.log(1 - random.nextDouble()) * 1000) * pick(random, 0, 1, 10, 100, 3000);
        if (random.nextInt(40) == 0) {
            now -= pick(random, 100_000, 5_000_000, 60_000_000);
        }
        if (random.nextInt(60) == 0) {
            redis.lose(key -> true);
            file.lose();
        }
    }

    private String[] common(Random random, String client, double interval, long valid, long least, Seen seen) {
        boolean tells = random.nextInt(8) == 0;
        return new String[] {
            client,
            String.format(Locale.ROOT, "%.3f", interval),
            String.valueOf(valid),
            "100000.000",
            String.valueOf(least),
            String.valueOf(least + pick(random, 0, 0, 1, 4, 30)),
            "3600000",
            tells ? "3" : "0",
            tells ? String.valueOf(pick(random, 1, 3, 8)) : "0",
            tells ? String.valueOf(random.nextInt(5)) : "",
            seen == null ? "0" : String.valueOf(seen.told)
        };
    }

    private static String[] and(String[] some, Object... more) {
        String[] all = Arrays.copyOf(some, some.length + more.length);
        for (int i = 0; i < more.length; i++) {
            all[some.length + i] = String.valueOf(more[i]);
        }
        return all;
    }

    private static long number(Object field) {
        return (long) Double.parseDouble(String.valueOf(field));
    }

    @ParameterizedTest
    @ValueSource(doubles = {1000.0, 333.333, 1_020_000.0})
    void bucketsAreTheSame(double interval) {
        for (int seed = 0; seed < SEEDS; seed++) {
            begin();
            Random random = new Random(seed);
            double tolerance = pick(random, 0, 1, 10, 50) * interval;
            long valid = pick(random, 20_000, 200_000);
            Map<String, Seen> seen = new HashMap<>();
            List<Lease> held = new ArrayList<>();
            for (int step = 0; step < STEPS; step++) {
                String as = "seed " + seed + ", step " + step;
                somethingHappens(random);
                if (held.isEmpty() || random.nextInt(3) > 0) {
                    String client = "client" + random.nextInt(3);
                    Seen known = seen.get(client);
                    String[] args = and(
                            common(random, client, interval, valid, pick(random, 1, 1, 1, 3), known),
                            tolerance,
                            known == null ? "0" : known.state,
                            "30000000.000",
                            known == null ? "0" : known.told,
                            known == null ? "0" : known.sharers);
                    List<Object> answer = both(Step.TAKE_FROM_BUCKET, KEYS, args, as);
                    if (number(answer.get(0)) > 0) {
                        String state = String.valueOf(answer.get(5));
                        seen.put(client, new Seen(state, now, number(answer.get(4))));
                        held.add(new Lease(
                                now + number(answer.get(1)),
                                number(answer.get(2)),
                                number(answer.get(0)),
                                state.split("\\|")[2]));
                    }
                } else {
                    Lease back = held.remove(random.nextInt(held.size()));
                    String[] args = {
                        String.valueOf(back.due),
                        String.valueOf(back.gap),
                        String.valueOf(back.count),
                        back.gross,
                        String.valueOf(valid),
                        String.valueOf(interval),
                        "3600000"
                    };
                    both(Step.GIVE_TO_BUCKET, new String[] {"b", "r"}, args, as);
                }
                assertSameLimit("r", as);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1_000_000, 60_000_000, 3_600_000_000L})
    void windowsAreTheSame(long window) {
        for (int seed = 0; seed < SEEDS; seed++) {
            begin();
            Random random = new Random(seed);
            long limit = pick(random, 1, 7, 100);
            long slack = Math.min(200_000, Math.max(2000, window / 50));
            Map<String, Seen> seen = new HashMap<>();
            List<Lease> held = new ArrayList<>();
            for (int step = 0; step < STEPS; step++) {
                String as = "seed " + seed + ", step " + step;
                somethingHappens(random);
                if (held.isEmpty() || random.nextInt(3) > 0) {
                    String client = "client" + random.nextInt(3);
                    Seen known = seen.get(client);
                    long later = pick(random, 0, 0, 700_000);
                    String[] args = and(
                            common(
                                    random,
                                    client,
                                    window / (double) limit,
                                    slack + later,
                                    pick(random, 1, 1, 1, 3),
                                    known),
                            limit,
                            window,
                            known == null ? "0" : "1",
                            "30000000.000",
                            random.nextInt(3_000_000) + ":1,3:2", // no two at the same time: then their order is open
                            slack,
                            later);
                    List<Object> answer = both(Step.TAKE_FROM_WINDOW, WINDOW_KEYS, args, as);
                    if (number(answer.get(0)) > 0) {
                        seen.put(client, new Seen("1", now, number(answer.get(4))));
                        held.add(new Lease(number(answer.get(5)), 0, number(answer.get(0)), ""));
                    }
                } else {
                    Lease back = held.remove(random.nextInt(held.size()));
                    String[] args = {String.valueOf(back.due), String.valueOf(back.count), String.valueOf(window)};
                    both(Step.GIVE_TO_WINDOW, new String[] {"w"}, args, as);
                }
                assertSameLimit("w", as);
            }
        }
    }

    @Test
    void whatIsRememberedIsTheSame() {
        for (int seed = 0; seed < SEEDS; seed++) {
            begin();
            Random random = new Random(seed);
            for (int step = 0; step < STEPS; step++) {
                String as = "seed " + seed + ", step " + step;
                now += pick(random, 0, 1000, 1_000_000, 20_000_000, 90_000_000);
                String client = "client" + random.nextInt(3);
                String id = "id" + random.nextInt(3);
                switch (random.nextInt(5)) {
                    case 0, 1 -> {
                        String[] quotas = IntStream.range(0, random.nextInt(3))
                                .boxed()
                                .flatMap(i -> List.of(
                                        "=q" + random.nextInt(30) + ",~",
                                        String.valueOf(random.nextInt(100)),
                                        String.valueOf(pick(random, 0, now + 1_000_000, now + 50_000_000)),
                                        "=q ~ ~ =requests ~")
                                        .stream())
                                .toArray(String[]::new);
                        String[] learned = {
                            client,
                            id,
                            String.valueOf(pick(random, 0, now - 5, now + 5_000_000, now + 200_000_000_000L)),
                            "busy",
                            "news",
                            String.valueOf(now - pick(random, 0, 100_000)),
                            "60000000"
                        };
                        both(Step.LEARN, new String[] {"k" + id, "known"}, and(learned, (Object[]) quotas), as);
                        assertThat(file.published()).as(as).isEqualTo(published);
                        published.clear();
                    }
                    case 2, 3 -> {
                        String[] read = {
                            client,
                            String.valueOf(random.nextInt(2)),
                            "10000000",
                            String.valueOf(pick(random, 30_000_000, 3_600_000_000L)),
                            String.valueOf(random.nextInt(2)),
                            String.valueOf(pick(random, 0, 1, 17))
                        };
                        both(Step.READ, new String[] {"alive", "h" + id, "a" + id, "k" + id}, read, as);
                    }
                    default -> {
                        both(Step.LEAVE, new String[] {"alive", "h" + id}, new String[] {client}, as);
                        both(Step.RECALL, new String[] {"known"}, new String[] {"2"}, as);
                    }
                }
            }
        }
    }
}
