package dev.throttle.spring;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;

/** The beginning of a body, which some HTTP libraries leave compressed, and others only seem to. */
final class BodyStart {

    private static final int MAGIC_1 = 0x1f;
    private static final int MAGIC_2 = 0x8b;

    private BodyStart() {}

    /** {@return the bytes, decompressed as far as they go and as the limit allows} */
    static byte[] unpack(byte[] start, int limit) {
        boolean isPacked = start.length > 1 && (start[0] & 0xff) == MAGIC_1 && (start[1] & 0xff) == MAGIC_2;
        return isPacked ? gunzip(start, limit) : start;
    }

    private static byte[] gunzip(byte[] start, int limit) {
        byte[] text = new byte[limit];
        int length = 0;
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(start))) {
            for (int read = 0; read >= 0 && length < text.length; length += Math.max(0, read)) {
                read = in.read(text, length, text.length - length);
            }
        } catch (IOException e) {
            // It is cut off.
        }
        return Arrays.copyOf(text, length);
    }
}
