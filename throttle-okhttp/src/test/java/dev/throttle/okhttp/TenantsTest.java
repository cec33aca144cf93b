package dev.throttle.okhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static dev.throttle.fixtures.Awaiting.inBackground;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import java.io.IOException;
import okhttp3.Call;
import okhttp3.Request;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** On whose behalf a request is made, as a function of it tells. */
class TenantsTest extends LoopbackTest {

    private final ThrottleRegistry throttles = throttle().build();
    private final ThrottlingInterceptor throttling = ThrottlingInterceptor.builder(throttles)
            .tenantResolver(request -> request.header("X-Customer"))
            .build()
            .newBuilder()
            .build();

    private Request of(String customer) {
        return get("/").newBuilder().header("X-Customer", customer).build();
    }

    private Throttle paused() {
        Throttle throttle = throttles.get(KeyResolver.origin().keyOf(get("/")));
        throttle.pause();
        return throttle;
    }

    @AfterEach
    void endWaits() {
        throttles.close();
    }

    private void executeAll(Call.Factory client) {
        Request tagged = of("a").newBuilder()
                .tag(CallOptions.class, CallOptions.DEFAULT.tenant("c"))
                .build();
        for (Request request : new Request[] {of("a"), of("a"), of("b"), of(" "), get("/"), tagged}) {
            inBackground(() -> client.newCall(request).execute());
        }
    }

    @Test
    void theInterceptorAsksAndOptionsOfARequestGoFirst() {
        Throttle throttle = paused();
        executeAll(throttled(plain(), throttling));
        await().until(() -> throttle.snapshot().waiting() == 6);
        assertThat(throttle.snapshot().waitingTenants()).isEqualTo(3);
    }

    @Test
    void theCallFactoryAsksToo() {
        Throttle throttle = paused();
        executeAll(ThrottlingCallFactory.builder(plain(), throttles)
                .tenantResolver(request -> request.header("X-Customer"))
                .build()
                .newBuilder()
                .build());
        await().until(() -> throttle.snapshot().waiting() == 6);
        assertThat(throttle.snapshot().waitingTenants()).isEqualTo(3);
    }

    @Test
    void aResolverThatThrowsFailsItsCall() {
        IllegalStateException mistake = new IllegalStateException("test");
        ThrottlingInterceptor wrong = ThrottlingInterceptor.builder(throttles)
                .tenantResolver(request -> {
                    throw mistake;
                })
                .build();
        assertThatThrownBy(throttled(plain(), wrong).newCall(get("/"))::execute)
                .isInstanceOf(IOException.class)
                .hasCause(mistake);
        assertThat(server.getRequestCount()).isZero();
        assertIdle(throttles);
    }
}
