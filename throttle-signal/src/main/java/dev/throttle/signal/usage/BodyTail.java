package dev.throttle.signal.usage;

import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the end of a body that goes by, on its way to its reader. Of what passes, the first kilobyte and the last
 * four are kept, unpacked where it is packed. Bytes are neither changed nor held back.
 *
 * <p>Understood are the token counts of OpenAI, Anthropic, Gemini and those that speak like them, as a whole and as a
 * stream, and the points of Shopify and GitHub. Anything else tells nothing. It never throws.
 *
 * <p>Thread-safe: a body may be given up by another thread than the one it comes on.
 */
public final class BodyTail {

    private static final AtomicBoolean WARNED = new AtomicBoolean();
    private static final int PIECE = 4096;

    private final boolean isStream;
    private final TailBuffer kept = new TailBuffer();
    private final @Nullable Unpacker unpacker;
    private boolean isFinished;

    private BodyTail(boolean isStream, String encoding) {
        this.isStream = isStream;
        this.unpacker = switch (encoding) {
            case "gzip", "x-gzip" -> Unpacker.gzip(kept);
            case "deflate" -> Unpacker.deflate(kept);
            default -> null;
        };
    }

    /**
     * Begins a body.
     *
     * @param contentType its {@code Content-Type}; null if it has none
     * @param contentEncoding its {@code Content-Encoding} as the bytes have it that will pass; null if it has none
     * @return null if there is nothing to look at: it is neither JSON nor a stream of events, or it is packed in a way
     *     that cannot be unpacked here
     */
    public static @Nullable BodyTail of(@Nullable String contentType, @Nullable String contentEncoding) {
        boolean isStream = contentType != null && lower(contentType).startsWith("text/event-stream");
        boolean isText = isStream || (contentType != null && lower(contentType).contains("json"));
        String encoding = contentEncoding == null ? "" : lower(contentEncoding.strip());
        return switch (encoding) {
            case "", "identity", "gzip", "x-gzip", "deflate" -> isText ? new BodyTail(isStream, encoding) : null;
            default -> null;
        };
    }

    /**
     * {@return whether a path looks like one of GraphQL, whose limits may be told in bodies only}
     *
     * @param path the path of a URL, or a part of it
     */
    public static boolean isGraphQl(String path) {
        return path.contains("graphql") || path.contains("GraphQL");
    }

    /** Logs a defect of this reader: the first as a warning, later ones for debugging. */
    private static void report(Throwable failure) {
        Level level = WARNED.compareAndSet(false, true) ? Level.WARNING : Level.DEBUG;
        System.getLogger("dev.throttle.signal")
                .log(
                        level,
                        "Reading the usage at the end of a response body failed; nothing is learned from it",
                        failure);
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    /**
     * Bytes pass.
     *
     * @param bytes from its position to its limit; neither is changed
     */
    public void accept(ByteBuffer bytes) {
        ByteBuffer view = bytes.duplicate();
        if (view.hasArray()) {
            accept(view.array(), view.arrayOffset() + view.position(), view.remaining());
            return;
        }
        byte[] piece = new byte[Math.min(PIECE, view.remaining())];
        while (view.hasRemaining()) {
            int length = Math.min(piece.length, view.remaining());
            view.get(piece, 0, length);
            accept(piece, 0, length);
        }
    }

    /**
     * Bytes pass.
     *
     * @param bytes the array
     * @param offset where in it they begin
     * @param length how many they are
     */
    public synchronized void accept(byte[] bytes, int offset, int length) {
        if (isFinished) {
            return;
        }
        try {
            if (unpacker == null) {
                kept.add(bytes, offset, length);
            } else {
                unpacker.add(bytes, offset, length);
            }
        } catch (Throwable e) {
            isFinished = true; // no mistake of ours harms a body
            if (unpacker != null) {
                unpacker.close();
            }
            report(e);
        }
    }

    /**
     * The body has ended; also to be called if it was given up, so that nothing is held longer than it is of use.
     *
     * @param nowMillis the time in milliseconds since the epoch, with which the times in the body are compared
     * @return what it tells; {@link BodyReport#NONE} if that is nothing, and if it is asked again
     */
    public synchronized BodyReport finish(long nowMillis) {
        if (isFinished) {
            return BodyReport.NONE;
        }
        isFinished = true;
        if (unpacker != null) {
            unpacker.close();
            if (unpacker.isGivenUp()) {
                return BodyReport.NONE;
            }
        }
        try {
            return UsageReader.read(kept.head(), kept.tail(), isStream, nowMillis);
        } catch (Throwable e) {
            report(e);
            return BodyReport.NONE;
        }
    }
}
