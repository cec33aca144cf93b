package dev.throttle.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.Test;

class OriginTest {

    @Test
    void isSchemeHostAndPort() {
        assertThat(Origin.of(URI.create("https://API.github.com/repos?q=1"))).isEqualTo("https://api.github.com:443");
        assertThat(Origin.of(URI.create("HTTP://a.test/"))).isEqualTo("http://a.test:80");
        assertThat(Origin.of(URI.create("http://a.test:8080/"))).isEqualTo("http://a.test:8080");
        assertThat(Origin.of("https", "a.test", -1)).isEqualTo(Origin.of(URI.create("https://a.test/x")));
    }

    @Test
    void namesAnIpv6AddressInOneFormForAllClients() {
        assertThat(Origin.of(URI.create("http://[::1]:81/"))).isEqualTo("http://[::1]:81");
        assertThat(Origin.of("http", "::1", 81)).isEqualTo("http://[::1]:81");
        assertThat(Origin.of("http", "[::1]", 81)).isEqualTo("http://[::1]:81");
    }

    @Test
    void neverShowsUserAndPassword() {
        assertThat(Origin.of(URI.create("https://user:secret@a.test/"))).isEqualTo("https://a.test:443");
        assertThat(Origin.of(URI.create("https://user:secret@a_b.test:8443/"))).isEqualTo("https://a_b.test:8443");
        assertThat(Origin.of(URI.create("https://user:secret@a_b.test/"))).isEqualTo("https://a_b.test:443");
    }

    @Test
    void anOriginThatIsSeenAgainIsTheSameObject() {
        String first = Origin.of("https", "again.test", 8443);
        assertThat(Origin.of(URI.create("https://again.test:8443/x"))).isSameAs(first);
    }

    @Test
    void originsThatTakeEachOthersPlaceAreNeverMixedUp() {
        for (int i = 0; i < 20_000; i++) {
            String host = "h" + i % 2_000 + ".test";
            String scheme = i % 2 == 0 ? "http" : "https";
            assertThat(Origin.of(scheme, host, 80 + i % 3)).isEqualTo(scheme + "://" + host + ":" + (80 + i % 3));
        }
        String longest = "a".repeat(300);
        assertThat(Origin.of("http", longest, 1)).isEqualTo("http://" + longest + ":1");
        assertThat(Origin.of("http", "", 1)).isEqualTo("http://:1");
    }
}
