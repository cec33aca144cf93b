package dev.throttle.lease.file;

import static dev.throttle.lease.file.Question.thousandths;
import static dev.throttle.lease.file.Question.whole;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Token buckets, as the scripts of Redis keep them, whose comments say why; a test of the lab compares the two step by
 * step. Not thread-safe.
 */
final class BucketSteps {

    private static final double BACK_MILLIS = 120_000;
    private static final double LATEST_MICROS = 120e6;
    private static final double EARLIEST_MICROS = 30e6;
    private static final double LONGEST_WAIT_MICROS = 5e6;
    private static final int MOST_ITEMS = 64;

    private final StoreData data;
    private final String bucket;
    private double state;
    private double back;
    private double promised;

    private BucketSteps(StoreData data, String bucket) {
        this.data = data;
        this.bucket = bucket;
        double[] kept = read(data.text(bucket));
        this.state = kept[0];
        this.back = kept[1];
        this.promised = kept[2];
    }

    private static double[] read(@Nullable String text) {
        double[] numbers = new double[3];
        String[] parts = text == null ? new String[0] : text.split("\\|", -1);
        for (int i = 0; i < Math.min(3, parts.length); i++) {
            numbers[i] = Double.parseDouble(parts[i]);
        }
        return numbers;
    }

    private void keep(double value, double lifetimeMillis) {
        data.setText(bucket, thousandths(value) + "|" + thousandths(back) + "|" + whole(promised));
        data.endIn(bucket, lifetimeMillis);
    }

    /** {@return when the bucket is full if such an amount counts again, which was given at some state} */
    private double without(double amount, double from, double gross, double now, double interval) {
        double since = from + back - gross;
        if (since < -interval / 2) {
            return from;
        }
        if (since < interval / 2) {
            return from - amount;
        }
        return Math.min(from, Math.max(from - amount, Math.max(now, promised) + since));
    }

    static List<Object> take(StoreData data, String[] keys, String[] args) {
        return new BucketSteps(data, keys[0]).take(new Question(data, keys, args), data.list(keys[4]), keys[4]);
    }

    private List<Object> take(Question asked, List<String> items, String itemsKey) {
        double now = asked.now;
        double interval = asked.interval;
        double valid = asked.valid;
        double least = asked.least;
        double ttl = asked.lifetimeMillis;
        double tolerance = asked.number(12);
        double ahead = asked.number(14);
        double toldAt = asked.number(15);
        double[] known = read(asked.arg(13));
        double seen = Math.max(0, known[0] - Math.max(0, back - known[1]));
        seen = Math.max(0, seen - Math.max(0, toldAt - now));
        if (state == 0) {
            back = known[1];
        }
        if (asked.step > 0) {
            putBack(asked.step, items, itemsKey, ttl);
        }
        if (state == 0 && toldAt > 0 && toldAt + ttl * 1000 > now) {
            asked.lost = 1;
            asked.sharers = Math.max(asked.sharers, asked.number(16));
            asked.shareFairly();
            seen = Math.max(seen, now + tolerance + (asked.sharers * asked.fair + 1) * interval);
            state = seen;
            promised = now;
            keep(state, ttl);
        }
        double most = now + 2 * (tolerance + ahead) + valid + interval;
        if (state > most || (state == 0 && seen > most)) {
            state = now + tolerance + interval;
            promised = now;
            keep(state, ttl);
        }
        double base = Math.max(now, Math.max(state, seen > most ? 0 : seen));
        if (asked.own > 0 || asked.others > 0) {
            base += asked.others;
            base = Math.max(base, Math.min(base + asked.own * interval, now + tolerance + interval));
            keep(base, ttl);
        }
        while (asked.wanted > 0 && !items.isEmpty()) {
            double[] item = Question.numbers(items.remove(0));
            double due = item[0];
            double gap = item[1];
            double count = item[2];
            double gross = item[3];
            double gone = 0;
            if (due + valid <= now) {
                gone = gap == 0 ? count : Math.min(count, Math.floor((now - due - valid) / gap) + 1);
            }
            if (due > now + ahead || (least > 1 && (gap > 0 || count - gone < least))) {
                gone = count;
            }
            if (gone > 0) {
                double left = without(gone * interval, base, gross - (count - gone) * interval, now, interval);
                if (left < base) {
                    back += base - left;
                    keep(left, ttl);
                    base = Math.max(now, left);
                }
                count -= gone;
                due += gone * gap;
            }
            if (count > 0) {
                double late = due > now ? 0 : gap == 0 ? count : Math.min(count, Math.floor((now - due) / gap) + 1);
                double taken = Math.min(asked.wanted, late > 0 ? late : count);
                if (taken < count) {
                    items.add(0, item(due + taken * gap, gap, count - taken, gross));
                }
                String told = told(base, gross - (count - taken) * interval);
                return late > 0
                        ? asked.answer(taken, 0, 0, due + valid - now, told)
                        : asked.answer(taken, due - now, gap, valid, told);
            }
        }
        return takeNew(asked, base, tolerance, ahead);
    }

    private List<Object> takeNew(Question asked, double base, double tolerance, double ahead) {
        double now = asked.now;
        double interval = asked.interval;
        double least = asked.least;
        double free = base <= now + tolerance ? Math.floor((now + tolerance - base) / interval) + 1 : 0;
        double permits = Math.max(least, Math.min(asked.wanted, free > 0 ? free : asked.fair));
        double first = base - tolerance - now;
        double last = base + (permits - 1) * interval - tolerance - now;
        if (first > ahead) {
            return asked.answer(0, Math.min(first - ahead, LONGEST_WAIT_MICROS), 0, 1, told(base, 0));
        }
        if (permits > free) {
            promised = Math.max(promised, now + (least > 1 ? last : first)) + permits * interval;
        }
        double after = base + permits * interval;
        keep(after, asked.lifetimeMillis);
        String told = told(after, after + back);
        if (permits <= free) {
            return asked.answer(permits, 0, 0, asked.valid, told);
        }
        return least > 1
                ? asked.answer(permits, last, 0, asked.valid, told)
                : asked.answer(permits, Math.ceil(first), interval, asked.valid, told);
    }

    private void putBack(double step, List<String> items, String itemsKey, double ttl) {
        state = Math.max(0, state - step);
        promised = Math.max(0, promised - step);
        if (state > 0) {
            keep(state, ttl);
        }
        items.replaceAll(item -> {
            int end = item.indexOf(':');
            return whole(Math.max(0, Double.parseDouble(item.substring(0, end)) - step)) + item.substring(end);
        });
        data.endIn(itemsKey, BACK_MILLIS);
    }

    private String told(double value, double gross) {
        return thousandths(value) + "|" + thousandths(back) + "|" + thousandths(gross);
    }

    private static String item(double due, double gap, double count, double gross) {
        return whole(due) + ":" + whole(gap) + ":" + whole(count) + ":" + thousandths(gross);
    }

    static List<Object> give(StoreData data, String[] keys, String[] args) {
        double now = data.now();
        double due = Double.parseDouble(args[0]);
        double gap = Double.parseDouble(args[1]);
        double count = Double.parseDouble(args[2]);
        double gross = Double.parseDouble(args[3]);
        double valid = Double.parseDouble(args[4]);
        double interval = Double.parseDouble(args[5]);
        if (due > now + LATEST_MICROS || due < now - EARLIEST_MICROS) {
            return List.of();
        }
        if (due > now || (gap > 0 && due + valid + (count - 1) * gap > now)) {
            List<String> items = data.list(keys[1]);
            items.add(item(due, gap, count, gross));
            items.subList(0, Math.max(0, items.size() - MOST_ITEMS)).clear();
            data.endIn(keys[1], BACK_MILLIS);
            return List.of();
        }
        BucketSteps bucket = new BucketSteps(data, keys[0]);
        if (bucket.state > now) {
            double left = bucket.without(count * interval, bucket.state, gross, now, interval);
            bucket.back += bucket.state - left;
            bucket.keep(left, Double.parseDouble(args[6]));
        }
        return List.of();
    }
}
