package dev.throttle.lab.torture;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.locks.LockSupport;

/** Reads the body of an answer as the plan of a call says, and compares it with what the server sent. */
final class Reader {

    private static final int FEW = 100;

    private final CallPlan plan;
    private final Runnable meddler;
    /** What the body begins with, unless it is shorter. */
    private final String head;

    /** The meddler is run in the middle of the body, if the plan says so. */
    Reader(CallPlan plan, Runnable meddler) {
        this.plan = plan;
        this.meddler = meddler;
        this.head = plan.number() + ".";
    }

    Ending read(int status, long length, InputStream body) throws IOException {
        int wanted = switch (plan.reading()) {
            case NONE -> 0;
            case HALF -> (int) length / 2;
            default -> Integer.MAX_VALUE;
        };
        byte[] buffer = new byte[plan.reading() == CallPlan.Reading.SLOWLY ? FEW : 8192];
        int read = 0;
        boolean isRight = true;
        boolean isAtEnd = false;
        while (read < wanted && !isAtEnd) {
            if (plan.meddling() == CallPlan.Meddling.CANCEL_WHILE_READING) {
                meddler.run();
            }
            int more = body.read(buffer, 0, Math.min(buffer.length, wanted - read));
            isAtEnd = more < 0;
            for (int i = 0; i < more; i++) {
                isRight &= isRight(buffer[i], read + i);
            }
            read += Math.max(0, more);
            if (plan.reading() == CallPlan.Reading.SLOWLY && read < 10 * FEW) {
                LockSupport.parkNanos(1_000);
            }
        }
        return new Ending(status, isAtEnd, isRight && (!isAtEnd || length < 0 || read == length), null);
    }

    private boolean isRight(byte b, int at) {
        return at < head.length() ? b == head.charAt(at) : (b >= 'a' && b <= 'z') || b == ';' || (b >= '0' && b <= '9');
    }
}
