package dev.throttle.signal.usage;

import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Unpacks gzip or deflate as it passes, a piece at a time and in bounded memory. What is broken, or unpacks to so much
 * that it is not worth it, is given up. What follows the first member of a gzip file is not read.
 */
final class Unpacker {

    private static final long MOST_UNPACKED = 64L << 20;
    /** From so much on, the ratio counts. */
    private static final long SUSPICIOUS = 4L << 20;

    private static final int LARGEST_RATIO = 200;

    private static final int MAGIC_1 = 0x1f;
    private static final int MAGIC_2 = 0x8b;
    private static final int FIXED_HEADER = 10;
    private static final int FLAG_CRC = 2;
    private static final int FLAG_EXTRA = 4;
    private static final int FLAG_NAME = 8;
    private static final int FLAG_COMMENT = 16;

    private enum Step {
        FIXED,
        EXTRA_LENGTH,
        EXTRA,
        NAME,
        COMMENT,
        CRC,
        ZLIB_OR_RAW,
        DATA,
        DONE,
        GIVEN_UP
    }

    private final TailBuffer sink;
    private final byte[] unpacked = new byte[4096];
    private Step step;
    private int flags;
    /** How much of the step is read. */
    private int read;

    private int extraLength;
    private Inflater inflater;
    private long in;
    private long out;

    private Unpacker(TailBuffer sink, Step first) {
        this.sink = sink;
        this.step = first;
        this.inflater = new Inflater(true);
    }

    static Unpacker gzip(TailBuffer sink) {
        return new Unpacker(sink, Step.FIXED);
    }

    static Unpacker deflate(TailBuffer sink) {
        return new Unpacker(sink, Step.ZLIB_OR_RAW);
    }

    boolean isGivenUp() {
        return step == Step.GIVEN_UP;
    }

    void add(byte[] bytes, int offset, int length) {
        int at = offset;
        int end = offset + length;
        while (at < end && isInHeader()) {
            header(bytes[at] & 0xff);
            at++;
        }
        if (at < end && step == Step.ZLIB_OR_RAW) {
            begin(bytes[at] & 0xff);
        }
        if (at < end && step == Step.DATA) {
            inflate(bytes, at, end - at);
        }
    }

    private boolean isInHeader() {
        return switch (step) {
            case FIXED, EXTRA_LENGTH, EXTRA, NAME, COMMENT, CRC -> true;
            case ZLIB_OR_RAW, DATA, DONE, GIVEN_UP -> false;
        };
    }

    /**
     * Chooses between zlib and raw deflate by the first byte. A byte of zlib could also begin a stored block of raw
     * deflate, which servers do not send.
     */
    private void begin(int first) {
        if ((first & 0x0f) == 8) {
            inflater.end();
            inflater = new Inflater(false);
        }
        step = Step.DATA;
    }

    private void header(int value) {
        int place = read;
        read++;
        switch (step) {
            case FIXED -> {
                boolean isWrong = (place == 0 && value != MAGIC_1) || (place == 1 && value != MAGIC_2);
                flags = place == 3 ? value : flags;
                if (isWrong) {
                    step = Step.GIVEN_UP;
                } else if (read == FIXED_HEADER) {
                    after(Step.FIXED);
                }
            }
            case EXTRA_LENGTH -> {
                extraLength |= value << (8 * place);
                if (read == 2) {
                    after(extraLength == 0 ? Step.EXTRA : Step.EXTRA_LENGTH);
                }
            }
            case EXTRA -> {
                if (read == extraLength) {
                    after(Step.EXTRA);
                }
            }
            case NAME, COMMENT -> {
                if (value == 0) {
                    after(step);
                }
            }
            case CRC -> {
                if (read == 2) {
                    after(Step.CRC);
                }
            }
            default -> throw new IllegalStateException(step.name());
        }
    }

    /** Goes to the next step that this header has. */
    private void after(Step done) {
        read = 0;
        switch (done) {
            case FIXED -> next(FLAG_EXTRA, Step.EXTRA_LENGTH, Step.EXTRA);
            case EXTRA_LENGTH -> step = Step.EXTRA;
            case EXTRA -> next(FLAG_NAME, Step.NAME, Step.NAME);
            case NAME -> next(FLAG_COMMENT, Step.COMMENT, Step.COMMENT);
            case COMMENT -> next(FLAG_CRC, Step.CRC, Step.CRC);
            default -> step = Step.DATA;
        }
    }

    private void next(int flag, Step ifSet, Step ifNot) {
        if ((flags & flag) != 0) {
            step = ifSet;
        } else {
            after(ifNot);
        }
    }

    private void inflate(byte[] bytes, int offset, int length) {
        in += length;
        inflater.setInput(bytes, offset, length);
        try {
            for (int n = inflater.inflate(unpacked); n > 0; n = inflater.inflate(unpacked)) {
                out += n;
                if (out > MOST_UNPACKED || (out > SUSPICIOUS && out / in > LARGEST_RATIO)) {
                    step = Step.GIVEN_UP;
                    return;
                }
                sink.add(unpacked, 0, n);
            }
            if (inflater.finished()) {
                step = Step.DONE;
            } else if (inflater.needsDictionary()) {
                step = Step.GIVEN_UP;
            }
        } catch (DataFormatException e) {
            step = Step.GIVEN_UP;
        }
    }

    /** Gives the memory back that is not on the heap. */
    void close() {
        inflater.end();
    }
}
