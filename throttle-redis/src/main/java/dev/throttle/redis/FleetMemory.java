package dev.throttle.redis;

import dev.throttle.ThrottleListener;
import dev.throttle.internal.Nanos;
import dev.throttle.redis.LearnedText.Message;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What the fleet knows: tells what the throttles of this process learn, and has them hear what others learned. What was
 * heard is never told on, as no listener hears of it. Thread-safe.
 */
final class FleetMemory {

    private static final long SOON_NANOS = Duration.ofMillis(100).toNanos();
    private static final int MOST_KNOWN = 4096;
    private static final int KEYS_PER_READ = 100;

    private final RedisStore store;
    private final FleetKeys keys;
    private final ServerClock clock;
    private final TimeSource time;
    private final Executor executor;
    private final String client;
    private final Map<String, Member> members = new ConcurrentHashMap<>();

    /** What is known of keys that nobody here may use yet. */
    private final Map<String, Learned> known = Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Entry<String, Learned> eldest) {
            return size() > MOST_KNOWN;
        }
    });

    private int nextToRead;

    FleetMemory(
            RedisStore store, FleetKeys keys, ServerClock clock, TimeSource time, Executor executor, String client) {
        this.store = store;
        this.keys = keys;
        this.clock = clock;
        this.time = time;
        this.executor = new SerialExecutor(executor);
        this.client = client;
    }

    String channel() {
        return keys.of("news");
    }

    /** {@return what listens to the throttles of a registry} */
    ThrottleListener listener(Hearing hear) {
        return new ThrottleListener() {
            @Override
            public void onCreated(Source throttle) {
                join(throttle.name(), throttle.key(), hear);
            }

            @Override
            public void onEvicted(Source throttle) {
                if (throttle.isEvicted()) {
                    members.remove(keys.id(throttle.name(), throttle.key()));
                }
            }

            @Override
            public void onSignal(Source throttle, Signal signal) {
                note(join(throttle.name(), throttle.key(), hear), signal);
            }
        };
    }

    /** How a key hears. */
    interface Hearing {
        BiConsumer<Signal, Duration> of(String key);
    }

    /** A key is used here from now on, and begins informed. */
    Member join(String scope, String key, Hearing hear) {
        String id = keys.id(scope, key);
        Member there = members.get(id);
        if (there != null) {
            return there;
        }
        Member member = new Member(id, hear.of(key));
        Member before = members.putIfAbsent(id, member);
        if (before != null) {
            return before;
        }
        Learned learned = known.get(id);
        if (learned != null && clock.isKnown()) {
            member.hear(learned, now());
        }
        return member;
    }

    private long now() {
        return clock.micros(time.nanoTime());
    }

    int sharers(String scope, String key) {
        Member member = members.get(keys.id(scope, key));
        return member == null ? 1 : member.sharers();
    }

    private void note(Member member, Signal signal) {
        int urgency = member.note(signal, time.nanoTime());
        if (urgency == 0) {
            executor.execute(() -> tell(member));
        } else if (urgency > 0) {
            time.schedule(SOON_NANOS, () -> executor.execute(() -> tell(member)));
        }
    }

    private void tell(Member member) {
        Member.News news = member.take();
        if (news == null) {
            return;
        }
        if (!store.isUp() || !clock.isKnown()) {
            member.keep(news, time.nanoTime());
            return;
        }
        List<String> args = new ArrayList<>();
        args.add(client);
        args.add(member.id);
        args.add(news.refusal() == null ? "0" : String.valueOf(clock.micros(news.backAt())));
        args.add(news.refusal() == null ? "" : LearnedText.outcome(news.refusal()));
        args.add(channel());
        long said = news.quotas().values().stream()
                .mapToLong(seen -> clock.micros(seen.at()))
                .max()
                .orElseGet(this::now);
        args.add(String.valueOf(said));
        news.quotas().forEach((name, seen) -> {
            Duration reset = seen.quota().reset();
            long resetAt = reset == null ? 0 : clock.micros(seen.at()) + Nanos.of(reset) / 1000;
            args.add(name);
            args.add(String.valueOf(seen.quota().remaining()));
            args.add(String.valueOf(resetAt));
            args.add(LearnedText.rest(seen.quota()));
        });
        CompletableFuture<List<Object>> unused = store.run(
                        MemoryScripts.LEARN,
                        new String[] {keys.of("k", member.id), keys.of("known")},
                        args.toArray(String[]::new))
                .whenComplete((answer, failure) -> {
                    if (failure != null) {
                        member.keep(news, time.nanoTime());
                    }
                });
        if (news.refusal() != null) {
            // So that it comes back in its own slot, as everybody else.
            member.hear(new Learned(clock.micros(news.backAt()), news.refusal(), List.of()), now());
        }
    }

    /** Somebody published something. On a thread that must not be held up. */
    void onMessage(String channel, String text) {
        if (channel.equals(channel())) {
            executor.execute(() -> {
                Message message = LearnedText.message(text);
                if (message != null && !message.client().equals(client) && clock.isKnown()) {
                    learn(message.id(), message.learned(), false);
                }
            });
        }
    }

    private void learn(String id, Learned learned, boolean isAll) {
        Learned before = isAll ? null : known.get(id);
        known.put(id, before == null ? learned : before.and(learned));
        Member member = members.get(id);
        if (member != null) {
            member.hear(learned, now());
        }
    }

    /** Says that this process lives, and reads what is known of its keys; a part of them where they are many. */
    CompletableFuture<Void> read() {
        List<Member> all = List.copyOf(members.values());
        int count = Math.min(KEYS_PER_READ, all.size());
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(all.get(Math.floorMod(nextToRead + i, all.size())).id);
        }
        nextToRead += count;
        return read(ids, "1");
    }

    private CompletableFuture<Void> read(List<String> ids, String alive) {
        List<String> names = new ArrayList<>();
        names.add(keys.of("alive"));
        for (String id : ids) {
            names.add(keys.of("h", id));
            names.add(keys.of("k", id));
        }
        long askedAt = time.nanoTime();
        return store.probe(MemoryScripts.READ, names.toArray(String[]::new), client, alive)
                .thenAcceptAsync(answer -> take(ids, answer, askedAt), executor);
    }

    private void take(List<String> ids, List<Object> answer, long askedAt) {
        if (answer.size() != ids.size() + 1) {
            return;
        }
        clock.read(Long.parseLong(String.valueOf(answer.get(0))), askedAt, time.nanoTime());
        for (int i = 0; i < ids.size(); i++) {
            if (answer.get(i + 1) instanceof List<?> fields && fields.size() >= 2) {
                Member member = members.get(ids.get(i));
                if (member != null) {
                    member.isOneOf(count(fields.get(0)), count(fields.get(1)));
                }
                learn(ids.get(i), LearnedText.fields(fields.subList(2, fields.size())), true);
                if (member != null && member.hasRefusal()) {
                    tell(member); // the store was away when it was learned
                }
            }
        }
    }

    private static int count(@Nullable Object field) {
        try {
            return Integer.parseInt(String.valueOf(field));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Reads everything that is known, so that keys to come begin informed. */
    CompletableFuture<Void> recall() {
        return store.probe(MemoryScripts.RECALL, new String[] {keys.of("known")}, String.valueOf(MOST_KNOWN / 4))
                .thenCompose(
                        answer -> recall(answer.stream().map(String::valueOf).toList()));
    }

    private CompletableFuture<Void> recall(List<String> ids) {
        CompletableFuture<Void> last = CompletableFuture.completedFuture(null);
        for (int from = 0; from < ids.size(); from += KEYS_PER_READ) {
            last = read(ids.subList(from, Math.min(ids.size(), from + KEYS_PER_READ)), "0");
        }
        return last;
    }

    void leave() {
        List<String> names = new ArrayList<>(List.of(keys.of("alive")));
        members.keySet().forEach(id -> names.add(keys.of("h", id)));
        store.send(MemoryScripts.LEAVE, names.toArray(String[]::new), client);
        members.clear();
    }
}
