package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.jdkhttp.ScriptedServer.Reply;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.Authenticator;
import java.net.CookieManager;
import java.net.InetAddress;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.Test;

/** A builder that is the JDK's to those who take one, and whose clients are throttled. */
class ClientBuilderTest {

    @Test
    void itsClientsRepeatWhatWasRefused() throws Exception {
        Throttle throttle = TestThrottles.throttle(Duration.ofMillis(1));
        try (ScriptedServer server = new ScriptedServer(Reply.of(429, 100))) {
            HttpClient client = ThrottlingHttpClient.newBuilder(
                            HttpClient.newBuilder(), settings -> settings.throttle(throttle))
                    .connectTimeout(Duration.ofSeconds(5))
                    .version(Version.HTTP_1_1)
                    .build();
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            assertThat(client.send(request, BodyHandlers.ofString()).statusCode())
                    .isEqualTo(200);
            assertThat(server.hits()).isEqualTo(2);
        }
    }

    /** Whatever methods the builder of the JDK has that runs this test, and that some later one may have. */
    @Test
    void everyMethodReachesTheWrappedBuilder() throws Exception {
        List<Method> reached = new ArrayList<>();
        HttpClient.Builder recording = (HttpClient.Builder) Proxy.newProxyInstance(
                HttpClient.Builder.class.getClassLoader(),
                new Class<?>[] {HttpClient.Builder.class},
                (proxy, method, arguments) -> {
                    reached.add(method);
                    return method.getReturnType() == HttpClient.Builder.class ? proxy : HttpClient.newHttpClient();
                });
        HttpClient.Builder builder = ThrottlingHttpClient.newBuilder(recording, settings -> {});
        List<Method> methods = List.of(HttpClient.Builder.class.getMethods());
        for (Method method : methods) {
            Object result = method.invoke(builder, anyOf(method.getParameterTypes()));
            assertThat(result).as(method.toString()).matches(r -> r == builder || r instanceof ThrottlingHttpClient);
        }
        assertThat(reached).containsExactlyElementsOf(methods).hasSizeGreaterThanOrEqualTo(11);
    }

    private static Object[] anyOf(Class<?>[] parameters) {
        Object[] arguments = new Object[parameters.length];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = parameters[i] == int.class ? 1 : parameters[i] == boolean.class ? Boolean.TRUE : null;
        }
        return arguments;
    }

    @Test
    void whatIsSetIsTheClients() throws Exception {
        CookieManager cookies = new CookieManager();
        ProxySelector proxy = ProxySelector.of(null);
        Authenticator authenticator = new Authenticator() {};
        Executor executor = Runnable::run;
        SSLContext context = SSLContext.getDefault();
        HttpClient client = ThrottlingHttpClient.newBuilder()
                .cookieHandler(cookies)
                .connectTimeout(Duration.ofSeconds(7))
                .followRedirects(Redirect.NORMAL)
                .proxy(proxy)
                .sslContext(context)
                .sslParameters(new SSLParameters(new String[] {"TLS_AES_128_GCM_SHA256"}))
                .authenticator(authenticator)
                .version(Version.HTTP_1_1)
                .executor(executor)
                .priority(7)
                .build();
        assertThat(client).isInstanceOf(ThrottlingHttpClient.class);
        assertThat(client.cookieHandler()).contains(cookies);
        assertThat(client.connectTimeout()).contains(Duration.ofSeconds(7));
        assertThat(client.followRedirects()).isEqualTo(Redirect.NORMAL);
        assertThat(client.proxy()).contains(proxy);
        assertThat(client.sslContext()).isSameAs(context);
        assertThat(client.sslParameters().getCipherSuites()).containsExactly("TLS_AES_128_GCM_SHA256");
        assertThat(client.authenticator()).contains(authenticator);
        assertThat(client.version()).isEqualTo(Version.HTTP_1_1);
        assertThat(client.executor()).contains(executor);
    }

    @Test
    void withoutSettingsItsClientsAreAsTheJdks() {
        HttpClient bare = HttpClient.newBuilder().build();
        HttpClient client = ThrottlingHttpClient.newBuilder().build();
        assertThat(client.cookieHandler()).isEqualTo(bare.cookieHandler());
        assertThat(client.connectTimeout()).isEqualTo(bare.connectTimeout());
        assertThat(client.followRedirects()).isEqualTo(bare.followRedirects());
        assertThat(client.version()).isEqualTo(bare.version());
        assertThat(client.executor()).isEqualTo(bare.executor());
    }

    @Test
    void itRefusesWhatTheJdksRefuses() {
        assertThatThrownBy(() -> ThrottlingHttpClient.newBuilder().connectTimeout(Duration.ZERO))
                .isExactlyInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ThrottlingHttpClient.newBuilder().priority(0))
                .isExactlyInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ThrottlingHttpClient.newBuilder().executor(null))
                .isExactlyInstanceOf(NullPointerException.class);
    }

    /** A method since Java 19; before, there is none, here or there. */
    @Test
    void theLocalAddressOfNewerJdksIsUsed() throws Exception {
        Method localAddress;
        try {
            localAddress = HttpClient.Builder.class.getMethod("localAddress", InetAddress.class);
        } catch (NoSuchMethodException e) {
            assertThat(Runtime.version().feature()).isLessThan(19);
            return;
        }
        try (ScriptedServer server = new ScriptedServer()) {
            HttpClient.Builder builder = ThrottlingHttpClient.newBuilder();
            assertThat(localAddress.invoke(builder, InetAddress.getByName("127.0.0.1")))
                    .isSameAs(builder);
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            assertThat(builder.build().send(request, BodyHandlers.ofString()).statusCode())
                    .isEqualTo(200);
            // An address of the documentation's, which no machine has: the client has taken it if it cannot bind.
            HttpClient elsewhere = ((HttpClient.Builder) localAddress.invoke(
                            ThrottlingHttpClient.newBuilder(
                                    HttpClient.newBuilder(),
                                    settings -> settings.throttle(TestThrottles.throttle(Duration.ofMillis(1)))),
                            InetAddress.getByName("192.0.2.1")))
                    .build();
            assertThatThrownBy(() -> elsewhere.send(request, BodyHandlers.ofString()))
                    .isInstanceOf(java.io.IOException.class);
        } catch (InvocationTargetException e) {
            throw new AssertionError(e.getCause());
        }
    }

    /** A library that builds a client for each of its parts would otherwise meet the limit as often. */
    @Test
    void clientsOfOneBuilderShareTheirThrottles() {
        List<ThrottlingHttpClientBuilder> settings = new ArrayList<>();
        HttpClient.Builder builder = ThrottlingHttpClient.newBuilder(HttpClient.newBuilder(), settings::add);
        assertThat(builder.build()).isNotSameAs(builder.build());
        ThrottlingHttpClient.newBuilder(HttpClient.newBuilder(), settings::add).build();
        assertThat(settings).extracting(ThrottlingHttpClientBuilder::registry).satisfies(throttles -> {
            assertThat(throttles.get(1)).isSameAs(throttles.get(0));
            assertThat(throttles.get(2)).isNotSameAs(throttles.get(0));
        });
    }

    @Test
    void whatSettingsThrowBuildThrows() {
        HttpClient.Builder builder = ThrottlingHttpClient.newBuilder(
                HttpClient.newBuilder(), settings -> settings.drainLimits(-1, Duration.ofSeconds(1)));
        assertThatThrownBy(builder::build).hasMessageStartingWith("drainLimits bytes must be");
        assertThatThrownBy(() -> ThrottlingHttpClient.newBuilder(
                                HttpClient.newBuilder(),
                                settings -> settings.throttle(Throttle.create()).throttles(ThrottleRegistry.create()))
                        .build())
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ThrottlingHttpClient.newBuilder(HttpClient.newBuilder(), null))
                .hasMessageContaining("settings must not be null");
        assertThatThrownBy(() -> ThrottlingHttpClient.newBuilder(null, settings -> {}))
                .hasMessageContaining("jdk must not be null");
    }

    /** Else the doors that are inherited from the JDK's class would lead past the throttle. */
    @Test
    void theDoorsOfHttpClientLeadToThrottlingClients() {
        assertThat((HttpClient) ThrottlingHttpClient.newHttpClient()).isInstanceOf(ThrottlingHttpClient.class);
        assertThat(ThrottlingHttpClient.newBuilder().build()).isInstanceOf(ThrottlingHttpClient.class);
    }

    @Test
    void itIsAnObjectLikeAnyOther() {
        HttpClient.Builder builder = ThrottlingHttpClient.newBuilder();
        assertThat(builder).isEqualTo(builder).isNotEqualTo(ThrottlingHttpClient.newBuilder());
        assertThat(builder.hashCode()).isEqualTo(builder.hashCode());
        assertThat(builder.toString()).startsWith("ThrottlingHttpClient.Builder[");
    }
}
