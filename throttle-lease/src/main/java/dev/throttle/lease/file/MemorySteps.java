package dev.throttle.lease.file;

import static dev.throttle.lease.file.Question.whole;

import dev.throttle.lease.file.StoreData.Members;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a fleet remembers of each key, and which processes use it, as the scripts of Redis keep it, whose comments say
 * why; a test of the lab compares the two step by step. Not thread-safe.
 */
final class MemorySteps {

    private static final double DAY_MICROS = 86_400e6;
    private static final double DAY_MILLIS = 86_400e3;
    private static final double SECOND_MICROS = 1e6;
    private static final double LONGEST_VALID_MICROS = 600e6;
    private static final double VALID_AND_MILLIS = 30_000;
    private static final int MOST_FIELDS = 20;
    private static final int MOST_KNOWN = 4096;
    private static final int MOST_RANKED = 1000;
    private static final double NEW_PART = 0.3;

    private MemorySteps() {}

    static List<Object> learn(StoreData data, String[] keys, String[] args) {
        double now = data.now();
        double back = Double.parseDouble(args[2]);
        double said = Double.parseDouble(args[5]);
        double lasts = now + Double.parseDouble(args[6]);
        Map<String, String> known = data.map(keys[0]);
        if (back > now) {
            back = Math.min(back, now + DAY_MICROS);
            lasts = Math.max(lasts, back);
            double before = Double.parseDouble(known.getOrDefault("u", "0"));
            if (back > before || before > now + DAY_MICROS) {
                known.put("u", whole(back));
                known.put("o", args[3]);
            }
        }
        List<String> message = new ArrayList<>(List.of("1", args[0], args[1], whole(back), args[3]));
        for (int i = 7; i + 3 < args.length; i += 4) {
            double left = Double.parseDouble(args[i + 1]);
            double reset = Double.parseDouble(args[i + 2]);
            String text = whole(said) + " " + whole(left) + " " + whole(reset) + " " + args[i + 3];
            if (isNews(known, "q" + args[i], said, left, reset, now)) {
                known.put("q" + args[i], text);
                message.add(text);
            }
            lasts = Math.max(lasts, Math.min(reset, now + DAY_MICROS));
        }
        if (data.left(keys[0]) < (lasts - now) / 1000) {
            data.endIn(keys[0], (lasts - now) / 1000);
        }
        Members index = data.members(keys[1]);
        index.put(args[1], (long) Math.rint(lasts));
        index.values().removeIf(at -> at <= now);
        while (index.size() > MOST_KNOWN) {
            index.remove(ordered(index).get(0));
        }
        data.endIn(keys[1], DAY_MILLIS);
        data.publish(String.join("\n", message));
        return List.of(whole(now));
    }

    private static boolean isNews(
            Map<String, String> known, String field, double said, double left, double reset, double now) {
        String old = known.get(field);
        if (old == null) {
            return known.size() <= MOST_FIELDS;
        }
        String[] parts = old.split(" ", 4);
        double oldSaid = Double.parseDouble(parts[0]);
        double oldReset = Double.parseDouble(parts[2]);
        if (oldSaid > now + SECOND_MICROS) {
            return true;
        }
        if (reset > 0 && oldReset > 0 && Math.abs(reset - oldReset) < 2 * SECOND_MICROS) {
            return Double.parseDouble(parts[1]) >= left;
        }
        return oldSaid <= said;
    }

    static List<Object> read(StoreData data, String[] keys, String[] args) {
        double now = data.now();
        String client = args[0];
        boolean says = args[1].equals("1");
        double valid = Math.min(Double.parseDouble(args[2]), LONGEST_VALID_MICROS);
        double fresh = Double.parseDouble(args[3]);
        List<Object> answer = new ArrayList<>(List.of(whole(now), ""));
        answer.set(1, String.valueOf(count(data, keys[0], client, says, true, valid)));
        for (int i = 1; i + 2 < keys.length; i += 3) {
            int at = 4 + (i - 1) / 3 * 2;
            boolean isBusy = args[at].equals("1");
            int all = count(data, keys[i], client, says, true, valid);
            int busy = count(data, keys[i + 1], client, says, isBusy, valid);
            if (!data.members(keys[i + 1]).containsKey(client)) {
                busy++;
            }
            long rank = ordered(data.members(keys[i])).stream()
                    .limit(MOST_RANKED)
                    .filter(member -> member.compareTo(client) < 0)
                    .count();
            double mine = isBusy ? Double.parseDouble(args[at + 1]) : 0;
            String rate = together(data, keys[i + 2], says, mine, fresh);
            List<Object> known = new ArrayList<>(List.of(String.valueOf(all), String.valueOf(rank)));
            known.add(String.valueOf(busy));
            known.add(rate);
            data.map(keys[i + 2]).forEach((field, value) -> Collections.addAll(known, field, value));
            answer.add(known);
        }
        return answer;
    }

    private static int count(StoreData data, String key, String client, boolean says, boolean isIn, double valid) {
        Members members = data.members(key);
        if (says && isIn) {
            members.put(client, (long) Math.rint(data.now() + valid));
            data.endIn(key, valid / 1000 + VALID_AND_MILLIS);
        } else if (says) {
            members.remove(client);
        }
        members.values().removeIf(at -> at <= data.now());
        return members.size();
    }

    /** {@return how fast the users of a key are together, as text; 0 if unknown} */
    private static String together(StoreData data, String key, boolean says, double mine, double fresh) {
        double now = data.now();
        Map<String, String> known = data.map(key);
        String[] parts = known.getOrDefault("t", "0 0").split(" ", 2);
        double said = Double.parseDouble(parts[0]);
        double rate = Double.parseDouble(parts[1]);
        boolean isFresh = said > 0 && said <= now + SECOND_MICROS && now - said < fresh;
        if (says && mine > 0) {
            rate = isFresh ? rate + NEW_PART * (mine - rate) : mine;
            known.put("t", whole(now) + " " + millionths(rate));
            if (data.left(key) < fresh / 1000) {
                data.endIn(key, fresh / 1000);
            }
            return millionths(rate);
        }
        return isFresh ? millionths(rate) : "0";
    }

    private static String millionths(double value) {
        return String.format(Locale.ROOT, "%.6f", value);
    }

    /** {@return the members, the earliest first} */
    private static List<String> ordered(Members members) {
        return members.entrySet().stream()
                .sorted(Comparator.<Map.Entry<String, Long>>comparingLong(Map.Entry::getValue)
                        .thenComparing(Map.Entry::getKey))
                .map(Map.Entry::getKey)
                .toList();
    }

    static List<Object> leave(StoreData data, String[] keys, String[] args) {
        for (String key : keys) {
            data.members(key).remove(args[0]);
        }
        return List.of();
    }

    static List<Object> recall(StoreData data, String[] keys, String[] args) {
        List<Object> all = new ArrayList<>();
        Members index = data.members(keys[0]);
        double from = Math.floor(data.now() / SECOND_MICROS) * SECOND_MICROS;
        for (String id : ordered(index)) {
            if (index.getOrDefault(id, 0L) >= from) {
                all.add(id);
            }
        }
        Collections.reverse(all);
        return List.copyOf(all.subList(0, Math.min(all.size(), Integer.parseInt(args[0]))));
    }
}
