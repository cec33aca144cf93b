package dev.throttle.lease.file;

import static dev.throttle.lease.file.Question.whole;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Sliding windows, as the scripts of Redis keep them, whose comments say why; a test of the lab compares the two step
 * by step. Not thread-safe.
 */
final class WindowSteps {

    private static final double TOO_FAR_MICROS = 1e6;
    private static final double LONGEST_WAIT_MICROS = 5e6;
    private static final double SHORTEST_WAIT_MICROS = 10_000;
    private static final int SLOTS = 200;
    private static final int LOST_PARTS = 20;
    private static final int LOOKED_AT = 50;

    private WindowSteps() {}

    private static String entry(double due, double count) {
        return whole(due) + ":" + whole(count);
    }

    static List<Object> take(StoreData data, String[] keys, String[] args) {
        Question asked = new Question(data, keys, args);
        List<String> log = data.list(keys[0]);
        double now = asked.now;
        double least = asked.least;
        double limit = Math.max(least, Math.floor(asked.number(12) * (1 - asked.missing)));
        double window = asked.number(13);
        double ahead = asked.number(15);
        double span = window + asked.number(17);
        double last = log.isEmpty() ? 0 : Question.numbers(log.get(log.size() - 1))[0];
        boolean isTooFar = last > now + ahead + TOO_FAR_MICROS;
        if (asked.step > 0 || isTooFar) {
            double by = last > now + ahead + TOO_FAR_MICROS + asked.step ? last - now : asked.step;
            log.replaceAll(text -> {
                double[] entry = Question.numbers(text);
                return entry(Math.max(0, entry[0] - by), entry[1]);
            });
            data.endIn(keys[0], asked.lifetimeMillis);
        }
        if (asked.arg(14).equals("1") && log.isEmpty()) {
            asked.lost = 1;
            double parts = Math.min(limit, LOST_PARTS);
            for (int i = 1; i <= parts; i++) {
                double count = Math.floor(limit * i / parts) - Math.floor(limit * (i - 1) / parts);
                log.add(entry(now - span + i * span / parts, count));
            }
            data.endIn(keys[0], asked.lifetimeMillis);
        } else if (asked.own > 0) {
            for (String part : asked.arg(16).split(",", -1)) {
                double[] spent = Question.numbers(part);
                log.add(entry(now - spent[0], spent[1]));
            }
            log.sort(Comparator.comparingDouble(text -> Question.numbers(text)[0]));
            data.endIn(keys[0], asked.lifetimeMillis);
        }
        return take(asked, log, keys[0], limit, window, ahead, span);
    }

    private static List<Object> take(
            Question asked, List<String> log, String key, double limit, double window, double ahead, double span) {
        double now = asked.now;
        double least = asked.least;
        List<double[]> counted = new ArrayList<>();
        double total = 0;
        int old = 0;
        for (String text : log) {
            double[] entry = Question.numbers(text);
            if (entry[0] + span <= now && total == 0) {
                old++;
            } else {
                counted.add(entry);
                total += entry[1];
            }
        }
        log.subList(0, old).clear();
        double due = now;
        double permits = 0;
        double room = limit - total;
        if (room >= least) {
            permits = Math.min(asked.wanted, room);
        } else {
            for (double[] entry : counted) {
                double before = room;
                room += entry[1];
                if (room >= least) {
                    due = Math.max(now, entry[0] + span);
                    double some = Math.max(least, Math.min(asked.wanted, asked.fair));
                    permits = Math.min(some, Math.max(least, room - Math.max(0, before)));
                    break;
                }
            }
        }
        if (permits == 0 || due - now > ahead) {
            double wait = Math.max(SHORTEST_WAIT_MICROS, Math.min(due - now - ahead, LONGEST_WAIT_MICROS));
            return asked.answer(0, wait, 0, 1, "1");
        }
        double[] newest = counted.isEmpty() ? new double[2] : counted.get(counted.size() - 1);
        double countedAt = Math.max(newest[0], due + asked.number(18));
        double slot = window / SLOTS;
        if (!counted.isEmpty() && Math.floor(countedAt / slot) == Math.floor(newest[0] / slot)) {
            log.set(log.size() - 1, entry(countedAt, newest[1] + permits));
        } else {
            log.add(entry(countedAt, permits));
        }
        asked.data.endIn(key, asked.lifetimeMillis);
        return asked.answer(permits, due - now, 0, asked.valid, whole(countedAt));
    }

    static List<Object> give(StoreData data, String[] keys, String[] args) {
        List<String> log = data.list(keys[0]);
        double given = Double.parseDouble(args[0]);
        double count = Double.parseDouble(args[1]);
        double slot = Double.parseDouble(args[2]) / SLOTS;
        int at = -1;
        for (int i = log.size() - 1; i >= Math.max(0, log.size() - LOOKED_AT); i--) {
            double due = Question.numbers(log.get(i))[0];
            if (due + 2 <= given) {
                break;
            }
            if (due < given + slot) {
                at = i;
            }
        }
        if (at >= 0) {
            double[] entry = Question.numbers(log.get(at));
            log.set(at, entry(entry[0], Math.max(0, entry[1] - count)));
        }
        return List.of();
    }
}
