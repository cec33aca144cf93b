package dev.throttle.client;

import dev.throttle.signal.BodyClassifier;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;

/** The beginning of a body as text. Some HTTP clients leave bodies compressed, others unpack them. */
final class BodyText {

    private static final int MAGIC_1 = 0x1f;
    private static final int MAGIC_2 = 0x8b;

    private BodyText() {}

    /** {@return the text of the bytes, decompressed as far as they go} */
    static String of(byte[] start) {
        boolean isPacked = start.length > 1 && (start[0] & 0xff) == MAGIC_1 && (start[1] & 0xff) == MAGIC_2;
        return new String(isPacked ? gunzip(start) : start, StandardCharsets.UTF_8);
    }

    private static byte[] gunzip(byte[] start) {
        byte[] text = new byte[BodyClassifier.MAX_BYTES];
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
