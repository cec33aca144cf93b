package dev.throttle.lab.fleet;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The texts and the lists of a simulated Redis. */
final class RedisTexts {

    private final Map<String, String> texts = new HashMap<>();
    private final Map<String, List<Object>> lists = new HashMap<>();

    boolean has(String key) {
        return texts.containsKey(key) || lists.containsKey(key);
    }

    void set(String key, String value) {
        texts.put(key, value);
    }

    void remove(String key) {
        texts.remove(key);
        lists.remove(key);
    }

    /** {@return what brings back what is kept now} */
    Runnable saved() {
        Map<String, String> savedTexts = Map.copyOf(texts);
        Map<String, List<Object>> savedLists = new HashMap<>();
        lists.forEach((key, list) -> savedLists.put(key, List.copyOf(list)));
        return () -> {
            texts.clear();
            texts.putAll(savedTexts);
            lists.clear();
            savedLists.forEach((key, list) -> lists.put(key, new ArrayList<>(list)));
        };
    }

    List<String> keys() {
        List<String> all = new ArrayList<>(texts.keySet());
        all.addAll(lists.keySet());
        return all;
    }

    /** {@return what a command answers} */
    @Nullable Object call(String command, String key, List<String> args) {
        List<Object> list = lists.getOrDefault(key, List.of());
        return switch (command) {
            case "GET" -> texts.get(key);
            case "DEL" -> {
                long count = has(key) ? 1 : 0;
                remove(key);
                yield count;
            }
            case "LPUSH" -> {
                lists.computeIfAbsent(key, unused -> new ArrayList<>()).add(0, args.get(1));
                yield 1L;
            }
            case "RPUSH" -> {
                lists.computeIfAbsent(key, unused -> new ArrayList<>()).add(args.get(1));
                yield 1L;
            }
            case "LPOP" -> {
                Object first = list.isEmpty() ? null : list.remove(0);
                keep(key, list);
                yield first;
            }
            case "LLEN" -> (long) list.size();
            case "LRANGE" -> range(list, args);
            case "LINDEX" -> {
                int at = index(list, args.get(1));
                yield at < 0 || at >= list.size() ? null : list.get(at);
            }
            case "LSET" -> list.set(index(list, args.get(1)), args.get(2));
            case "LTRIM" -> {
                keep(key, range(list, args));
                yield 1L;
            }
            default -> throw new IllegalArgumentException("the simulated store has no " + command);
        };
    }

    /** An empty list is none. */
    private void keep(String key, List<Object> list) {
        if (list.isEmpty()) {
            lists.remove(key);
        } else {
            lists.put(key, list);
        }
    }

    private static List<Object> range(List<Object> list, List<String> args) {
        int from = Math.max(0, index(list, args.get(1)));
        int to = Math.min(list.size() - 1, index(list, args.get(2)));
        return from > to ? new ArrayList<>() : new ArrayList<>(list.subList(from, to + 1));
    }

    /** Negative ones count from the end. */
    private static int index(List<Object> list, String text) {
        int index = Integer.parseInt(text);
        return index < 0 ? list.size() + index : index;
    }
}
