package dev.throttle.lease.fleet;

import dev.throttle.Throttle;
import dev.throttle.ThrottleListener;
import dev.throttle.internal.Nanos;
import dev.throttle.lease.fleet.LearnedText.Message;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;

/**
 * What the fleet knows: publishes what the throttles of this process learn, and passes on to them what others learned.
 * What was received is not published again, because listeners are not called for it. Thread-safe.
 */
final class FleetMemory {

    private static final long SOON_NANOS = Duration.ofMillis(100).toNanos();
    private static final int MOST_KNOWN = 4096;
    private static final int KEYS_PER_READ = 100;
    private static final long READ_NANOS = Duration.ofSeconds(1).toNanos();
    /** For how long the users of a key are remembered; they may still be there. */
    private static final long COMPANY_NANOS = Duration.ofMinutes(1).toNanos();

    private final FleetStore store;
    private final FleetKeys keys;
    private final StoreClock clock;
    private final TimeSource time;
    private final SerialExecutor executor;
    private final String client;
    private final Map<String, Member> members = new ConcurrentHashMap<>();

    /** What the fleet knows of keys, including those that this process does not use yet. */
    private final Map<String, Known> known = LatestUsed.map(MOST_KNOWN);

    private int nextToRead;
    /** Whether the read of new members is scheduled. */
    private final AtomicBoolean coming = new AtomicBoolean();

    private final Attendance attendance;

    private volatile int alive = 1;
    private volatile boolean left;

    /** What is known of a key, and which processes used it at a time. */
    private record Known(Learned learned, Company company, long at) {

        Known and(Learned later) {
            return new Known(learned.and(later), company, at);
        }
    }

    FleetMemory(FleetStore store, FleetKeys keys, StoreClock clock, TimeSource time, Executor executor, String client) {
        this.store = store;
        this.keys = keys;
        this.clock = clock;
        this.time = time;
        this.executor = new SerialExecutor(executor);
        this.client = client;
        this.attendance = new Attendance(time.nanoTime());
    }

    String channel() {
        return keys.of("news");
    }

    /** {@return what listens to the throttles of a registry} */
    ThrottleListener listener(Hearing hear) {
        if (left) {
            throw new IllegalStateException("the fleet is closed");
        }
        return new FleetListener(this, hear);
    }

    /** Finds the receiver of what others learned about a key. */
    interface Hearing {
        BiConsumer<Signal, Duration> of(String key);
    }

    /** Adds a key that this process uses. It begins with what the fleet knows. */
    Member join(Throttle throttle, Hearing hear) {
        String id = keys.id(throttle.name(), throttle.key());
        long at = time.nanoTime();
        Presence presence = new Presence(throttle, hear.of(throttle.key()), at);
        boolean[] isAdded = new boolean[1];
        Member member = members.compute(id, (k, there) -> {
            Member joined = there == null ? new Member(id) : there;
            isAdded[0] = joined.add(presence);
            return joined;
        });
        if (!isAdded[0]) {
            return member; // another thread was faster
        }
        Known before = known.get(id);
        if (before != null && clock.isKnown()) {
            if (at - before.at() < COMPANY_NANOS) {
                presence.meet(before.company());
            }
            member.observe(presence, before.learned(), now());
        }
        if (!member.hasMet() && !coming.getAndSet(true)) {
            time.schedule(SOON_NANOS, () -> executor.execute(this::readThoseWhoCame, failure -> coming.set(false)));
        }
        if (left) {
            member.meet(Company.NONE);
        }
        return member;
    }

    void forget(Throttle throttle) {
        members.computeIfPresent(
                keys.id(throttle.name(), throttle.key()), (id, member) -> member.remove(throttle) ? null : member);
    }

    private static String micros(Duration time) {
        return String.valueOf(time.toNanos() / 1000);
    }

    private long now() {
        return clock.micros(time.nanoTime());
    }

    /** {@return how many processes are in the fleet, as far as it is known} */
    int alive() {
        return left ? 1 : alive;
    }

    int sharers(String scope, String key) {
        Member member = members.get(keys.id(scope, key));
        return member == null ? 1 : member.sharers();
    }

    void note(Member member, Signal signal) {
        int urgency = member.note(signal, time.nanoTime());
        if (urgency == 0) {
            tellSoon(member);
        } else if (urgency > 0) {
            time.schedule(SOON_NANOS, () -> tellSoon(member));
        }
    }

    private void tellSoon(Member member) {
        executor.execute(() -> tell(member), failure -> member.untold());
    }

    private void tell(Member member) {
        Member.News news = member.take();
        if (news == null) {
            return;
        }
        if (!store.watch().isUp() || !clock.isKnown()) {
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
        args.add(micros(store.keeps()));
        news.quotas().forEach((name, seen) -> {
            Duration reset = seen.quota().reset();
            long resetAt = reset == null ? 0 : clock.micros(seen.at()) + Nanos.of(reset) / 1000;
            args.add(name);
            args.add(String.valueOf(seen.quota().remaining()));
            args.add(String.valueOf(resetAt));
            args.add(LearnedText.rest(seen.quota()));
        });
        CompletableFuture<List<Object>> unused = store.run(
                        Step.LEARN,
                        new String[] {keys.of("k", member.id), keys.of("known")},
                        args.toArray(String[]::new))
                .whenComplete((answer, failure) -> {
                    if (failure != null) {
                        member.keep(news, time.nanoTime());
                    }
                });
        if (news.refusal() != null) {
            // So that this process, too, comes back in its own slot.
            member.observe(new Learned(clock.micros(news.backAt()), news.refusal(), List.of()), now());
        }
    }

    /** Called with each published message, on a thread of the client that must not be blocked. */
    void onMessage(String channel, String text) {
        if (channel.equals(channel())) {
            executor.execute(() -> observe(text), failure -> {}); // what is missed is read later
        }
    }

    private void observe(String text) {
        Message message = LearnedText.message(text);
        if (message != null && !message.client().equals(client) && clock.isKnown() && !left) {
            learn(message.id(), message.learned());
        }
    }

    /** Merges what was learned about a key, and passes it on to its throttles here. */
    private void learn(String id, Learned learned) {
        Known before = known.get(id);
        known.put(id, before == null ? new Known(learned, Company.NONE, time.nanoTime()) : before.and(learned));
        Member member = members.get(id);
        if (member != null) {
            member.observe(learned, now());
        }
    }

    /** Registers this process as alive, and reads what is known of its keys; of many keys, a part each time. */
    CompletableFuture<Void> read() {
        if (left) {
            return CompletableFuture.completedFuture(null);
        }
        List<Member> all = List.copyOf(members.values());
        int count = Math.min(KEYS_PER_READ, all.size());
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(all.get(Math.floorMod(nextToRead + i, all.size())).id);
        }
        nextToRead += count;
        if (attendance.isOver(time.nanoTime())) { // the count is too old: each process goes by what it sees
            alive = 1;
            all.forEach(member -> member.meet(Company.NONE));
        }
        return read(ids, "1");
    }

    private void readThoseWhoCame() {
        coming.set(false);
        List<String> ids = new ArrayList<>();
        for (Member member : members.values()) {
            if (ids.size() < KEYS_PER_READ && !member.hasMet()) {
                ids.add(member.id);
            }
        }
        if (store.watch().isUp() && !ids.isEmpty()) {
            CompletableFuture<Void> unused = read(ids, "1");
        }
    }

    private CompletableFuture<Void> read(List<String> ids, String alive) {
        List<String> names = new ArrayList<>(List.of(keys.of("alive")));
        long rounds = 1L + members.size() / KEYS_PER_READ;
        long validMicros = Math.max(Attendance.SILENT_NANOS, 3 * rounds * READ_NANOS) / 1000;
        List<String> args =
                new ArrayList<>(List.of(client, alive, String.valueOf(validMicros), micros(store.keepsPace())));
        long askedAt = time.nanoTime();
        for (String id : ids) {
            names.add(keys.of("h", id));
            names.add(keys.of("a", id));
            names.add(keys.of("k", id));
            Member member = members.get(id);
            args.add(member != null && member.isBusy(askedAt) ? "1" : "0");
            args.add(member == null ? "0" : Presence.text(member.together(askedAt)));
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        CompletableFuture<List<Object>> unused = store.probe(
                        Step.READ, names.toArray(String[]::new), args.toArray(String[]::new))
                .whenComplete((answer, failure) -> {
                    if (failure == null) {
                        executor.execute(
                                () -> {
                                    take(ids, answer, askedAt);
                                    done.complete(null);
                                },
                                done::completeExceptionally);
                    } else {
                        done.completeExceptionally(failure);
                    }
                });
        return done;
    }

    private void take(List<String> ids, List<Object> answer, long askedAt) {
        if (left || answer.size() != ids.size() + 2) {
            return;
        }
        long now = time.nanoTime();
        clock.read(Long.parseLong(String.valueOf(answer.get(0))), askedAt, now);
        boolean areAllThere = attendance.answered(now);
        alive = Math.max(1, Company.count(answer.get(1)));
        for (int i = 0; i < ids.size(); i++) {
            if (answer.get(i + 2) instanceof List<?> fields && fields.size() >= Company.FIELDS) {
                Company company = Company.of(fields);
                Learned learned = LearnedText.fields(fields.subList(Company.FIELDS, fields.size()));
                known.put(ids.get(i), new Known(learned, areAllThere ? company : Company.NONE, now));
                Member member = members.get(ids.get(i));
                if (member != null) {
                    if (areAllThere) {
                        member.meet(company);
                    }
                    if (left) { // meanwhile
                        member.meet(Company.NONE);
                    }
                    member.observe(learned, now());
                    if (member.hasRefusal()) {
                        tell(member); // the store was away when it was learned
                    }
                }
            }
        }
    }

    /** Reads all that is known, so that later keys begin with it. */
    CompletableFuture<Void> recall() {
        return store.probe(Step.RECALL, new String[] {keys.of("known")}, String.valueOf(MOST_KNOWN / 4))
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

    /** Leaves the fleet: from now on nothing is counted, read or received. */
    void leave() {
        members.values().forEach(this::tell); // what was learned just now
        left = true;
        List<String> names = new ArrayList<>(List.of(keys.of("alive")));
        members.keySet().forEach(id -> {
            names.add(keys.of("h", id));
            names.add(keys.of("a", id));
        });
        store.send(Step.LEAVE, names.toArray(String[]::new), client);
        members.values().forEach(member -> member.meet(Company.NONE));
        members.clear();
    }
}
