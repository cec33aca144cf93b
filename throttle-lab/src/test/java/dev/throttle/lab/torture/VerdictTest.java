package dev.throttle.lab.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What a call may end with when nothing has happened to it. */
class VerdictTest {

    private static final long SEED = 1;

    /** A GET over HTTP/1.1 whose body is read whole, which nobody cancels, and whose server does nothing to it. */
    private static CallPlan calm(Door door) {
        long number = 0;
        while (AnswerPlan.of(SEED, number, 0, Wire.HTTP1).fault() != AnswerPlan.Fault.NOTHING) {
            number++;
        }
        return new CallPlan(
                number,
                door,
                Wire.HTTP1,
                "localhost",
                1,
                -1,
                false,
                CallPlan.Wish.NOTHING,
                CallPlan.Reading.WHOLE,
                CallPlan.Meddling.NOTHING,
                0);
    }

    private static String wrong(Door door, Throwable thrown) {
        return new Verdict(SEED, calm(door), Ending.thrown(thrown), 1).wrong(false, false, false);
    }

    @Test
    void aFailureWithoutAReasonIsWrong() {
        assertThat(wrong(Door.JDK_SEND, new IOException("connection closed locally")))
                .isEqualTo("nothing had gone wrong");
    }

    @Test
    void theJdkMayHaveClosedItsConnectionBecauseAnotherCallWasCancelled() {
        IOException hit = new IOException(
                "received 0", new IOException("connection closed", new IOException("Request cancelled")));
        assertThat(wrong(Door.JDK_SEND_ASYNC, hit)).isNull();
        assertThat(wrong(Door.OKHTTP_EXECUTE, hit)).isEqualTo("nothing had gone wrong");
    }
}
