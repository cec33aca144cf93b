package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import mockwebserver3.RecordedRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Other versions of OkHttp than the one compiled against. */
class OkHttpVersionsTest extends LoopbackTest {

    /** Runs {@link OlderOkHttp#run} on another OkHttp, in a class loader that shares nothing with this one. */
    private Object runOn(String jar) throws Exception {
        Path older = Path.of(System.getProperty("older.okhttp"), jar + ".jar");
        assertThat(Files.exists(older)).as("%s", older).isTrue();
        List<URL> path = new ArrayList<>();
        path.add(older.toUri().toURL());
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!entry.contains("okhttp-jvm-")) {
                path.add(url(entry));
            }
        }
        try (URLClassLoader loader =
                new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            return loader.loadClass(OlderOkHttp.class.getName())
                    .getMethod("run", String.class)
                    .invoke(null, server.url("/").toString());
        } catch (InvocationTargetException e) {
            return e.getCause();
        }
    }

    private static URL url(String entry) throws MalformedURLException {
        return Path.of(entry).toUri().toURL();
    }

    @Test
    void anOkHttpThatIsTooOldIsRefusedWhereTheThrottleIsInstalled() throws Exception {
        assertThat(runOn("okhttp-3.14.9"))
                .isInstanceOfSatisfying(
                        IllegalStateException.class,
                        e -> assertThat(e)
                                .hasMessageContaining("needs OkHttp 4.9.0 or newer")
                                .hasMessageContaining("com.squareup.okhttp3:okhttp-bom:"));
        assertThat(server.getRequestCount()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"okhttp-4.12.0, 4.12.0", "okhttp-jvm-5.3.2, 5.3.2", "okhttp-jvm-5.4.0, 5.4.0"})
    void supportedOlderVersionsOfOkHttpWork(String jar, String version) throws Exception {
        for (int i = 0; i < 3; i++) {
            server.enqueue(status(429));
            server.enqueue(status(200));
        }
        assertThat(runOn(jar)).isEqualTo("OkHttp " + version + ": 200 200 200 Canceled");
        assertThat(server.getRequestCount()).isEqualTo(6);
        RecordedRequest request = server.takeRequest();
        assertThat(request.getHeaders().get("User-Agent")).isEqualTo("okhttp/" + version);
    }
}
