package dev.throttle.client;

import dev.throttle.internal.Faults;
import dev.throttle.signal.BodyClassifier;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;

/**
 * A classifier of bodies that never throws, and that gets each as text. If the user's classifier throws, the head alone
 * counts.
 *
 * @param classifier recognizes refusals by their bodies
 * @param faults reports what the classifier throws
 */
record SafeBodyClassifier(BodyClassifier classifier, Faults faults) {

    private static final int MAGIC_1 = 0x1f;
    private static final int MAGIC_2 = 0x8b;

    boolean needsBody(ResponseHead head, Signal said) {
        try {
            return classifier.needsBody(head, said);
        } catch (Throwable e) {
            faults.report(e);
            return false;
        }
    }

    /** {@return what a response says with its body; what its head says if the body tells no more} */
    Signal classify(ResponseHead head, Signal said, byte[] start) {
        try {
            Signal told = classifier.classify(head, said, text(start));
            return told == null ? said : told;
        } catch (Throwable e) {
            faults.report(e);
            return said;
        }
    }

    /** {@return the beginning of a body, which some HTTP clients leave compressed; unpacked as far as it goes} */
    private static String text(byte[] start) {
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
