package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.Authenticator;
import java.net.CookieManager;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;

/** The client stands for the wrapped one in everything that it does not do itself. */
class DelegationTest {

    @Test
    void noMethodOfHttpClientIsLeftToItsDefault() {
        assertThat(HttpClient.class.getMethods())
                .filteredOn(method ->
                        method.getDeclaringClass() == HttpClient.class && !Modifier.isStatic(method.getModifiers()))
                .isNotEmpty()
                .allSatisfy(method ->
                        assertThat(declared(method)).as(method.toString()).isTrue());
    }

    private static boolean declared(Method method) {
        try {
            ThrottlingHttpClient.class.getDeclaredMethod(method.getName(), method.getParameterTypes());
            return true;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    @Test
    void settingsAreTheWrappedClients() throws Exception {
        CookieManager cookies = new CookieManager();
        ProxySelector proxy = ProxySelector.of(null);
        Authenticator authenticator = new Authenticator() {};
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try {
            HttpClient delegate = HttpClient.newBuilder()
                    .cookieHandler(cookies)
                    .connectTimeout(Duration.ofSeconds(7))
                    .followRedirects(Redirect.NORMAL)
                    .proxy(proxy)
                    .sslContext(SSLContext.getDefault())
                    .authenticator(authenticator)
                    .version(Version.HTTP_1_1)
                    .executor(executor)
                    .build();
            HttpClient client = ThrottlingHttpClient.newBuilder(delegate).build();
            assertThat(client.cookieHandler()).contains(cookies);
            assertThat(client.connectTimeout()).contains(Duration.ofSeconds(7));
            assertThat(client.followRedirects()).isEqualTo(Redirect.NORMAL);
            assertThat(client.proxy()).contains(proxy);
            assertThat(client.sslContext()).isSameAs(delegate.sslContext());
            assertThat(client.sslParameters().getProtocols())
                    .isEqualTo(delegate.sslParameters().getProtocols());
            assertThat(client.authenticator()).contains(authenticator);
            assertThat(client.version()).isEqualTo(Version.HTTP_1_1);
            assertThat(client.executor()).contains(executor);
        } finally {
            executor.shutdown();
        }
    }

    @Test
    void webSocketsPassUnthrottled() throws Exception {
        try (RawServer server = new RawServer((number, exchange) -> {
            exchange.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        })) {
            ThrottlingHttpClient client = ThrottlingHttpClient.newHttpClient();
            URI uri = URI.create("ws://127.0.0.1:" + server.uri().getPort() + "/");
            assertThatThrownBy(client.newWebSocketBuilder().buildAsync(uri, new WebSocket.Listener() {})::join)
                    .hasCauseInstanceOf(WebSocketHandshakeException.class);
            assertThat(server.requests).hasValue(1);
        }
    }

    /** Such a switch breaks on a constant that a newer JDK adds, as Java 26 does with HTTP_3. */
    @Test
    void noClassSwitchesOverTheJdksEnums() throws Exception {
        Path classes = Path.of(ThrottlingHttpClient.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        List<Path> files;
        try (Stream<Path> walk = Files.walk(classes)) {
            files = walk.filter(path -> path.toString().endsWith(".class")).toList();
        }
        assertThat(files)
                .hasSizeGreaterThan(5)
                .allSatisfy(file -> assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                        .doesNotContain("$SwitchMap$java$net$http"));
    }
}
