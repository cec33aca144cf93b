package dev.throttle.jdkhttp;

import dev.throttle.signal.BodyClassifier;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.zip.GZIPInputStream;

/** The beginning of a body as text. The JDK's client leaves bodies compressed. */
final class BodyStart {

    private static final Set<String> GZIP = Set.of("gzip", "x-gzip");

    private BodyStart() {}

    /** {@return the text of the bytes, at most {@link BodyClassifier#MAX_BYTES} bytes of it, decompressed} */
    static String text(byte[] start, HttpHeaders headers) {
        return new String(isGzip(headers) ? gunzip(start) : start, StandardCharsets.UTF_8);
    }

    private static boolean isGzip(HttpHeaders headers) {
        List<String> codings = headers.allValues("Content-Encoding");
        return codings.size() == 1 && GZIP.contains(codings.get(0).strip().toLowerCase(java.util.Locale.ROOT));
    }

    private static byte[] gunzip(byte[] start) {
        byte[] text = new byte[BodyClassifier.MAX_BYTES];
        int length = 0;
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(start))) {
            for (int read = 0; read >= 0 && length < text.length; length += Math.max(0, read)) {
                read = in.read(text, length, text.length - length);
            }
        } catch (IOException e) {
            // It is cut off, or not compressed at all.
        }
        return Arrays.copyOf(text, length);
    }
}
