package dev.throttle.signal.usage;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Keeps the first bytes and the last ones of what passes. */
final class TailBuffer {

    private static final int HEAD = 1024;
    private static final int TAIL = 4096;

    private byte[] head = {};
    private byte[] ring = {};
    private long count;

    void add(byte[] bytes, int offset, int length) {
        if (length == 0) {
            return;
        }
        if (ring.length == 0) {
            head = new byte[HEAD];
            ring = new byte[TAIL];
        }
        if (count < HEAD) {
            System.arraycopy(bytes, offset, head, (int) count, (int) Math.min(length, HEAD - count));
        }
        int kept = Math.min(length, TAIL);
        int from = offset + length - kept;
        int place = (int) ((count + length - kept) % TAIL);
        int first = Math.min(kept, TAIL - place);
        System.arraycopy(bytes, from, ring, place, first);
        System.arraycopy(bytes, from + first, ring, 0, kept - first);
        count += length;
    }

    /** {@return the beginning, as ASCII; empty if all of it is in the tail} */
    String head() {
        return count <= TAIL ? "" : text(head);
    }

    /** {@return the end, as ASCII} */
    String tail() {
        if (count <= TAIL) {
            return text(Arrays.copyOf(ring, (int) count));
        }
        int place = (int) (count % TAIL);
        byte[] ordered = new byte[TAIL];
        System.arraycopy(ring, place, ordered, 0, TAIL - place);
        System.arraycopy(ring, 0, ordered, TAIL - place, place);
        return text(ordered);
    }

    /** All that is looked for is ASCII, and no byte of another character is. */
    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
