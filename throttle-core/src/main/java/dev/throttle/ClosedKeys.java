package dev.throttle;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Until when keys are closed that were forgotten, in a table of a fixed size. A key is known by a hash of 64 bits with
 * a secret random seed. Keys with the same place are told apart by it, so a collision never closes another key. If a
 * place is full, the key is lost that opens soonest. Guarded by its owner's lock.
 */
final class ClosedKeys {

    private static final int SETS = 1 << 13;
    private static final int WAYS = 8;

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final long seed = new SplittableRandom().nextLong();
    private final int sets;
    /** A hash, and after it when its key opens; 0 as a hash is an empty place. Null until a key is closed. */
    private long @Nullable [] table;

    ClosedKeys() {
        this(SETS);
    }

    /** @param sets a power of two */
    ClosedKeys(int sets) {
        this.sets = sets;
    }

    /** Remembers a key. */
    void put(String key, long until, long now) {
        long[] places = table;
        if (places == null) {
            places = new long[sets * WAYS * 2];
            table = places;
        }
        long hash = hash(key);
        int best = -1;
        for (int at = first(hash); at < first(hash) + WAYS * 2; at += 2) {
            boolean isFree = places[at] == 0 || places[at] == hash || places[at + 1] - now <= 0;
            if (isFree) {
                best = at;
                break;
            }
            if (best < 0 || places[at + 1] - places[best + 1] < 0) {
                best = at;
            }
        }
        boolean isTaken = places[best] != 0 && places[best] != hash && places[best + 1] - until > 0;
        if (!isTaken) {
            places[best] = hash;
            places[best + 1] = until;
        }
    }

    /** {@return for how long a key is closed, which it then forgets; 0 if it is not known to be} */
    long takeNanos(String key, long now) {
        long[] places = table;
        if (places == null) {
            return 0;
        }
        long hash = hash(key);
        for (int at = first(hash); at < first(hash) + WAYS * 2; at += 2) {
            if (places[at] == hash) {
                places[at] = 0;
                return Math.max(0, places[at + 1] - now);
            }
        }
        return 0;
    }

    private int first(long hash) {
        return (int) (hash >>> 32 & sets - 1) * WAYS * 2;
    }

    private long hash(String key) {
        long hash = seed;
        for (int i = 0; i < key.length(); i++) {
            hash = (hash ^ key.charAt(i)) * GOLDEN;
            hash ^= hash >>> 29;
        }
        hash = (hash ^ seed) * 0xBF58476D1CE4E5B9L;
        hash ^= hash >>> 32;
        return hash == 0 ? 1 : hash;
    }
}
