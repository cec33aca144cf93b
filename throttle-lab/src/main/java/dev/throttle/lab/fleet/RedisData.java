package dev.throttle.lab.fleet;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Texts, lists, hashes and sorted sets with a time to live, and as much of the commands of Redis as the scripts of a
 * fleet use.
 */
final class RedisData {

    private static final long NO_KEY = -2;
    private static final long FOR_EVER = -1;

    private final Map<String, Map<String, String>> hashes = new HashMap<>();
    private final Map<String, Map<String, Double>> sets = new HashMap<>();
    private final RedisTexts texts = new RedisTexts();
    private final Map<String, Long> expiresAt = new HashMap<>();
    private final BiConsumer<String, String> publish;
    private long nowMicros;

    RedisData(BiConsumer<String, String> publish) {
        this.publish = publish;
    }

    /** The time goes on; what has expired is gone. */
    void setTime(long micros) {
        nowMicros = micros;
        expiresAt.entrySet().removeIf(each -> {
            boolean isOver = each.getValue() <= micros;
            if (isOver) {
                hashes.remove(each.getKey());
                sets.remove(each.getKey());
                texts.remove(each.getKey());
            }
            return isOver;
        });
    }

    /** {@return what brings back what is kept now, which may be done several times} */
    Runnable saved() {
        Map<String, Map<String, String>> savedHashes = new HashMap<>();
        hashes.forEach((key, hash) -> savedHashes.put(key, new LinkedHashMap<>(hash)));
        Map<String, Map<String, Double>> savedSets = new HashMap<>();
        sets.forEach((key, set) -> savedSets.put(key, Map.copyOf(set)));
        Map<String, Long> savedEnds = Map.copyOf(expiresAt);
        Runnable savedTexts = texts.saved();
        return () -> {
            hashes.clear();
            savedHashes.forEach((key, hash) -> hashes.put(key, new LinkedHashMap<>(hash)));
            sets.clear();
            savedSets.forEach((key, set) -> sets.put(key, new HashMap<>(set)));
            expiresAt.clear();
            expiresAt.putAll(savedEnds);
            savedTexts.run();
        };
    }

    /** Loses keys, as a store does that evicts them or starts empty. */
    void lose(Predicate<String> keys) {
        hashes.keySet().removeIf(keys);
        sets.keySet().removeIf(keys);
        texts.keys().stream().filter(keys).forEach(texts::remove);
    }

    /** {@return what a command answers: a text, a number, a list, or null} */
    @Nullable Object call(String command, List<String> args) {
        return switch (command) {
            case "TIME" -> List.of(String.valueOf(nowMicros / 1_000_000), String.valueOf(nowMicros % 1_000_000));
            case "PUBLISH" -> {
                publish.accept(args.get(0), args.get(1));
                yield 0L;
            }
            case "PEXPIRE" -> expire(args.get(0), Long.parseLong(args.get(1)));
            case "PTTL" -> timeToLive(args.get(0));
            case "SET" -> {
                texts.set(args.get(0), args.get(1));
                yield args.get(2).equals("PX") ? expire(args.get(0), Long.parseLong(args.get(3))) : 1L; // or KEEPTTL
            }
            case "EXISTS" -> exists(args.get(0)) ? 1L : 0L;
            case "GET", "DEL", "LPUSH", "RPUSH", "LPOP", "LLEN", "LRANGE", "LINDEX", "LSET", "LTRIM" ->
                texts.call(command, args.get(0), args);
            case "HGET", "HSET", "HLEN", "HGETALL" -> hash(command, args.get(0), args);
            default -> set(command, args.get(0), args);
        };
    }

    private boolean exists(String key) {
        return hashes.containsKey(key) || sets.containsKey(key) || texts.has(key);
    }

    private long expire(String key, long millis) {
        if (!exists(key)) {
            return 0;
        }
        expiresAt.put(key, nowMicros + millis * 1000);
        return 1;
    }

    private long timeToLive(String key) {
        Long end = expiresAt.get(key);
        return !exists(key) ? NO_KEY : end == null ? FOR_EVER : (end - nowMicros) / 1000;
    }

    private @Nullable Object hash(String command, String key, List<String> args) {
        Map<String, String> hash = hashes.getOrDefault(key, Map.of());
        return switch (command) {
            case "HGET" -> hash.get(args.get(1));
            case "HLEN" -> (long) hash.size();
            case "HGETALL" -> {
                List<Object> all = new ArrayList<>();
                hash.forEach((field, value) -> all.addAll(List.of(field, value)));
                yield all;
            }
            default -> {
                Map<String, String> there = hashes.computeIfAbsent(key, unused -> new LinkedHashMap<>());
                for (int i = 1; i + 1 < args.size(); i += 2) {
                    there.put(args.get(i), args.get(i + 1));
                }
                yield (long) (args.size() - 1) / 2;
            }
        };
    }

    private @Nullable Object set(String command, String key, List<String> args) {
        Map<String, Double> set = sets.getOrDefault(key, Map.of());
        return switch (command) {
            case "ZADD" -> {
                Map<String, Double> there = sets.computeIfAbsent(key, unused -> new HashMap<>());
                yield there.put(args.get(2), Double.valueOf(args.get(1))) == null ? 1L : 0L;
            }
            case "ZCARD" -> (long) set.size();
            case "ZCOUNT" ->
                (long) between(set, score(args.get(1)), score(args.get(2))).size();
            case "ZSCORE" -> {
                Double score = set.get(args.get(1));
                yield score == null ? null : String.valueOf(score);
            }
            case "ZREM" -> set.isEmpty() || set.remove(args.get(1)) == null ? 0L : 1L;
            case "ZRANGE" -> range(ordered(set), Long.parseLong(args.get(1)), Long.parseLong(args.get(2)));
            case "ZREMRANGEBYRANK" ->
                remove(set, range(ordered(set), Long.parseLong(args.get(1)), Long.parseLong(args.get(2))));
            case "ZREMRANGEBYSCORE" -> remove(set, between(set, score(args.get(1)), score(args.get(2))));
            case "ZREVRANGEBYSCORE" -> {
                List<Object> found = new ArrayList<>(between(set, score(args.get(2)), score(args.get(1))));
                java.util.Collections.reverse(found);
                yield args.size() < 6 ? found : range(found, 0, Long.parseLong(args.get(5)) - 1);
            }
            default -> throw new IllegalArgumentException("the simulated store has no " + command);
        };
    }

    private static double score(String text) {
        return switch (text) {
            case "-inf" -> Double.NEGATIVE_INFINITY;
            case "+inf" -> Double.POSITIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }

    private static List<Object> ordered(Map<String, Double> set) {
        return new ArrayList<>(set.entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue()
                        .thenComparing(Map.Entry.comparingByKey(Comparator.naturalOrder())))
                .map(Map.Entry::getKey)
                .toList());
    }

    private static List<Object> between(Map<String, Double> set, double from, double to) {
        return ordered(set).stream()
                .filter(member -> {
                    double score = Objects.requireNonNull(set.get(String.valueOf(member)));
                    return score >= from && score <= to;
                })
                .toList();
    }

    /** {@return the members at these places, which count from the end if they are negative} */
    private static List<Object> range(List<Object> all, long first, long last) {
        long from = Math.max(0, first < 0 ? all.size() + first : first);
        long to = Math.min(all.size() - 1, last < 0 ? all.size() + last : last);
        return from > to ? List.of() : all.subList((int) from, (int) to + 1);
    }

    private static long remove(Map<String, Double> set, List<Object> members) {
        List<Object> gone = List.copyOf(members);
        gone.forEach(member -> set.remove(String.valueOf(member)));
        return gone.size();
    }
}
