package dev.throttle.signal.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What gzip allows is unpacked, in whatever pieces it comes; what would take too much is given up. */
class UnpackerTest {

    private static final byte[] BODY = "the body".getBytes(StandardCharsets.US_ASCII);
    private static final int EXTRA = 4;
    private static final int NAME = 8;
    private static final int COMMENT = 16;
    private static final int CHECK = 2;

    private final TailBuffer kept = new TailBuffer();
    private final Unpacker unpacker = Unpacker.gzip(kept);

    private static byte[] gzip(int flags, byte[]... parts) {
        byte[] plain = Samples.gzip(BODY);
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        packed.writeBytes(new byte[] {0x1f, (byte) 0x8b, 8, (byte) flags, 0, 0, 0, 0, 0, 0});
        for (byte[] part : parts) {
            packed.writeBytes(part);
        }
        packed.write(plain, 10, plain.length - 10);
        return packed.toByteArray();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** An extra field of two bytes of length and so many of content. */
    private static byte[] extra(int length) {
        byte[] extra = new byte[length + 2];
        extra[0] = (byte) length;
        extra[1] = (byte) (length >> 8);
        return extra;
    }

    private String unpack(byte[] packed, int piece) {
        for (int at = 0; at < packed.length; at += piece) {
            unpacker.add(packed, at, Math.min(piece, packed.length - at));
        }
        unpacker.close();
        return unpacker.isGivenUp() ? "given up" : kept.tail();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 9, 10, 11, 12, 1_000})
    void aHeadOfTenBytesIsPassedOver(int piece) {
        assertThat(unpack(gzip(0), piece)).isEqualTo("the body");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 255, 256, 259, 1_000})
    void anExtraFieldIsPassedOverWhateverItsLength(int length) {
        assertThat(unpack(gzip(EXTRA, extra(length)), 1_000)).isEqualTo("the body");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 1_000})
    void eachPartOfAHeadMayBeAlone(int piece) {
        byte[] name = bytes("name\0");
        assertThat(unpack(gzip(NAME, name), piece)).isEqualTo("the body");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 1_000})
    void aCommentAndACheckMayBeAlone(int piece) {
        assertThat(unpack(gzip(COMMENT | CHECK, bytes("\0"), new byte[2]), piece))
                .isEqualTo("the body");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 1_000})
    void aCheckMayFollowAnEmptyExtraField(int piece) {
        assertThat(unpack(gzip(EXTRA | CHECK, extra(0), new byte[2]), piece)).isEqualTo("the body");
    }

    @Test
    void whatIsNoGzipIsGivenUp() {
        assertThat(unpack(bytes("{\"a\":1}"), 1_000)).isEqualTo("given up");
        Unpacker half = Unpacker.gzip(kept);
        half.add(new byte[] {0x1f, 0x1f}, 0, 2);
        assertThat(half.isGivenUp()).isTrue();
    }

    @Test
    void whatUnpacksToFarMoreThanItIsLongIsGivenUpFromFourMegabytesOn() {
        assertThat(unpack(Samples.gzip(new byte[4 << 20]), 1 << 20)).isNotEqualTo("given up");
        Unpacker bomb = Unpacker.gzip(kept);
        byte[] packed = Samples.gzip(new byte[(4 << 20) + 1]);
        bomb.add(packed, 0, packed.length);
        bomb.close();
        assertThat(bomb.isGivenUp()).isTrue();
    }

    @Test
    void aLongBodyThatPacksAsTextsDoIsUnpacked() {
        byte[] text = new byte[5 << 20];
        Random random = new Random(1);
        for (int i = 0; i < text.length; i += 100) {
            text[i] = (byte) ('a' + random.nextInt(26));
        }
        byte[] packed = Samples.gzip(text);
        assertThat(text.length / packed.length).isLessThan(200);
        assertThat(unpack(packed, 1 << 20)).isNotEqualTo("given up");
    }

    @Test
    void theMemoryOfWhatUnpacksIsGivenBack() {
        unpacker.close();
        byte[] packed = gzip(0);
        assertThat(catchThrowable(() -> unpacker.add(packed, 0, packed.length)))
                .isInstanceOf(NullPointerException.class); // an inflater that has ended says so
    }
}
