package dev.throttle.signal.usage;

import dev.throttle.signal.Corpus;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Expect;
import dev.throttle.signal.Quota;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Any body is read without harm, and the same in whatever pieces and however packed it comes. The first byte of an
 * input says in which pieces; the rest is the body.
 */
public final class BodyTarget {

    private static final List<String> TYPES = List.of("application/json", "text/event-stream");
    private static final List<String> ENCODINGS = List.of("gzip", "deflate");

    private BodyTarget() {}

    /** {@return the inputs that are known, the bodies of the usage tests among them} */
    public static Stream<byte[]> corpus() {
        Stream<byte[]> bodies = Samples.all().stream().map(Samples.Sample::bytes);
        Stream<byte[]> packed = Samples.all().stream().limit(2).map(sample -> Samples.gzip(sample.bytes()));
        return Stream.concat(Stream.concat(bodies, packed).map(BodyTarget::inSevens), Corpus.of("bodies").stream());
    }

    private static byte[] inSevens(byte[] body) {
        byte[] input = new byte[body.length + 1];
        input[0] = 7;
        System.arraycopy(body, 0, input, 1, body.length);
        return input;
    }

    /** Fails if an input is read as something that cannot be. */
    public static void check(byte[] input) {
        int piece = input.length == 0 ? 1 : Math.max(1, input[0] & 0xff);
        byte[] body = input.length == 0 ? input : Arrays.copyOfRange(input, 1, input.length);
        for (String type : TYPES) {
            BodyReport whole = readOpenly(body, type);
            check(whole);
            Expect.equal(Samples.read(type, null, body, piece), whole, "in pieces");
            Expect.equal(Samples.read(type, "gzip", Samples.gzip(body), piece), whole, "packed");
            Expect.equal(Samples.read(type, "deflate", deflate(body, false), piece), whole, "deflated");
            Expect.equal(Samples.read(type, "deflate", deflate(body, true), piece), whole, "deflated without a head");
            for (String encoding : ENCODINGS) {
                checkPacked(type, encoding, body, piece);
            }
        }
    }

    /** Reads it without the net that catches what is thrown. */
    private static BodyReport readOpenly(byte[] body, String type) {
        TailBuffer kept = new TailBuffer();
        kept.add(body, 0, body.length);
        return UsageReader.read(kept.head(), kept.tail(), type.contains("stream"), Samples.NOW);
    }

    /** The body is what a server claims to have packed. */
    private static void checkPacked(String type, String encoding, byte[] packed, int piece) {
        TailBuffer kept = new TailBuffer();
        Unpacker unpacker = encoding.equals("gzip") ? Unpacker.gzip(kept) : Unpacker.deflate(kept);
        unpacker.add(packed, 0, packed.length);
        unpacker.close();
        BodyReport whole = unpacker.isGivenUp()
                ? BodyReport.NONE
                : UsageReader.read(kept.head(), kept.tail(), type.contains("stream"), Samples.NOW);
        check(whole);
        Expect.equal(Samples.read(type, encoding, packed, piece), whole, encoding + " in pieces");
    }

    private static byte[] deflate(byte[] body, boolean isRaw) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        Deflater deflater = new Deflater(1, isRaw);
        try (DeflaterOutputStream out = new DeflaterOutputStream(packed, deflater)) {
            out.write(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            deflater.end();
        }
        return packed.toByteArray();
    }

    private static void check(BodyReport report) {
        Cost cost = report.cost();
        if (cost != null) {
            for (String unit : List.of(Quota.TOKENS, Quota.INPUT_TOKENS, Quota.OUTPUT_TOKENS, Quota.POINTS)) {
                Expect.that(cost.amount(unit) >= 0 && cost.amount(unit) <= Cost.MAX_AMOUNT, unit, cost);
            }
        }
        checkDuration(report.retryAfter());
        for (Quota quota : report.quotas()) {
            checkDuration(quota.reset());
            checkDuration(quota.window());
            Expect.that(!Duration.ZERO.equals(quota.window()), "window", quota);
            Expect.that(quota.limit() == null || quota.limit() >= 0, "limit", quota);
            Expect.that(quota.remaining() != null && quota.remaining() >= 0, "remaining", quota);
        }
    }

    private static void checkDuration(@Nullable Duration duration) {
        Expect.that(duration == null || !duration.isNegative(), "duration", duration);
    }
}
