package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.ThrottleRegistry;
import java.io.IOException;
import java.lang.ref.WeakReference;
import okhttp3.Call;
import org.junit.jupiter.api.Test;

/** What the doors leave on a call, which OkHttp 4 has no place for. */
class CallTagTest extends LoopbackTest {

    private final ThrottleRegistry throttles = throttle().build();

    private WeakReference<Call> ended(Call.Factory calls) throws IOException {
        Call call = calls.newCall(get("/"));
        assertThat(statusOf(call)).isEqualTo(200);
        return new WeakReference<>(call);
    }

    @Test
    void aCallHasOneTagAndNoOtherCallHasIt() {
        Call call = plain().newCall(get("/"));
        assertThat(OkHttpVersion.tagOf(call)).isNull();
        CallTag tag = OkHttpVersion.tag(call);
        assertThat(OkHttpVersion.tagOf(call)).isSameAs(tag).isSameAs(OkHttpVersion.tag(call));
        assertThat(OkHttpVersion.tag(call.clone())).isNotSameAs(tag);
    }

    @Test
    void callsThatHaveEndedAreNotKept() throws IOException {
        answerAlways(200);
        WeakReference<Call> intercepted = ended(throttled(throttles));
        WeakReference<Call> made = ended(ThrottlingCallFactory.create(plain(), throttles));
        awaitThat(() -> {
            System.gc();
            return intercepted.get() == null && made.get() == null;
        });
    }
}
