package dev.throttle.signal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.signal.header.Readings;
import dev.throttle.signal.header.Vendor;
import dev.throttle.signal.header.VendorFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each entry of the table of vendors can be verified, and its samples are read as it says. */
class VendorTableTest {

    private static final String POINTS = """
            vendor: Example
            host: API.example.com
            header X-Points-Left: remaining quota=points unit=points window=1h
            header X-Ratelimit-Reset: reset milliseconds
            header X-Points-*-Cost: cost unit=points
            """;

    static Stream<Vendor> vendors() {
        return VendorFile.standard().stream();
    }

    @ParameterizedTest
    @MethodSource("vendors")
    void anEntryHasASourceAndItsSamplesAreReadAsItSays(Vendor vendor) {
        assertThatCode(() -> Readings.requireVerifiable(vendor)).doesNotThrowAnyException();
        for (Vendor.Sample sample : vendor.samples()) {
            String host =
                    vendor.hosts().isEmpty() ? "" : "api." + vendor.hosts().get(0);
            RateHints hints = HintReader.standard().read(new Head(sample.status(), host, sample.headers()), Head.NOW);
            assertThat(Readings.of(hints)).as(vendor.name()).isEqualTo(sample.reading());
        }
    }

    @Test
    void eachVendorHasOneEntry() {
        assertThat(vendors().map(Vendor::name)).doesNotHaveDuplicates();
    }

    @Test
    void entriesOfAUserAreReadForTheirHostsAndThoseBelow() {
        HintReader reader = HintReader.builder().vendors(POINTS).build();
        Head head = Head.of(
                200,
                "X-RateLimit-Limit",
                "9",
                "X-RateLimit-Reset",
                "1500",
                "X-Points-Left",
                "7",
                "X-Points-Call-Cost",
                "3");
        RateHints expected = new RateHints(
                null,
                List.of(
                        new Quota(null, 9L, null, Duration.ofMillis(1500), null),
                        new Quota("points", null, 7L, null, Duration.ofHours(1), "points", null)),
                null,
                null,
                Cost.of("points", 3));
        assertThat(reader.read(head.at("api.example.com"), Head.NOW)).isEqualTo(expected);
        assertThat(reader.read(head.at("eu.api.EXAMPLE.com"), Head.NOW)).isEqualTo(expected);
        assertThat(reader.read(head.at("example.com"), Head.NOW).quotas())
                .containsExactly(new Quota(null, 9L, null, Duration.ofSeconds(1500), null));
    }

    @Test
    void entriesMayStandInAFile(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("mine.txt"), "vendor: Mine\nheader X-Left: remaining\n");
        HintReader reader = HintReader.builder().vendors(file).build();
        assertThat(reader.read(Head.of(200, "x-left", "7"), Head.NOW).quotas())
                .containsExactly(new Quota(null, null, 7L, null, null));
        assertThatThrownBy(() -> HintReader.builder().vendors(folder.resolve("none.txt")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("none.txt");
    }

    @Test
    void readersKnowTheEntriesOfTheFileThatThePropertyNames(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("mine.txt"), "vendor: Mine\nheader X-Left: remaining\n");
        try {
            System.setProperty(HintReader.VENDORS_PROPERTY, "no/such/file.txt");
            assertThatThrownBy(HintReader::builder)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("no/such/file.txt");
            System.setProperty(HintReader.VENDORS_PROPERTY, file.toString());
            Head head = Head.of(200, "x-left", "7", "x-right", "8");
            HintReader reader = HintReader.builder()
                    .vendors("vendor: B\nheader X-Right: remaining quota=right\n")
                    .build();
            assertThat(reader.read(head, Head.NOW).quotas())
                    .containsExactly(new Quota(null, null, 7L, null, null), new Quota("right", null, 8L, null, null));
        } finally {
            System.clearProperty(HintReader.VENDORS_PROPERTY);
        }
    }

    @Test
    void aMistakeIsNamedWithItsLine() {
        fails("header X-Left: remaining", "line 1 of vendors stands before 'vendor: NAME'");
        fails("vendor: A\nheader X-Left: left", "line 2 of vendors has 'left' and not one of");
        fails("vendor: A\n\ncolour: red", "line 3 of vendors begins with 'colour'");
        fails("vendor: A\nheader X-*-b-*: limit", "line 2 of vendors has more than one star");
        fails("vendor: A\nheader X-Left: remaining window=soon", "line 2 of vendors has 'soon' for a window");
        fails("vendor: A\nheader X-Left: remaining size=1", "line 2 of vendors has 'size=1'");
        fails("vendor: A\nsample: ok", "line 2 of vendors has no status");
        fails("vendor: A\n> X: 1", "line 2 of vendors stands before 'sample: STATUS'");
        fails("vendor: A\nword remaining: foo", "line 2 of vendors begins with 'word remaining'");
        fails("unit points: foo", "line 1 of vendors stands before");
        fails("vendor: A\nsource:", "line 2 of vendors has no value");
    }

    private static void fails(String text, String message) {
        assertThatThrownBy(() -> HintReader.builder().vendors(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void anEntryWithoutASourceOrASampleIsRefused() {
        Vendor vendor = VendorFile.parse("text", POINTS).get(0);
        assertThatThrownBy(() -> Readings.requireVerifiable(vendor)).hasMessageContaining("Example has no source");
        String sourced = POINTS + "source: https://example.com\n";
        assertThatThrownBy(() -> check(sourced)).hasMessageContaining("Example has no date");
        assertThatThrownBy(() -> check(sourced + "date: 2026-11-25\n")).hasMessageContaining("Example has no sample");
        assertThatThrownBy(() -> check(sourced + "date: 2026-11-25\nsample: 200\n> X: 1\n"))
                .hasMessageContaining("without a reading");
        String read = "date: 2026-11-25\nsample: 200\n> X: 1\n= nothing\n";
        assertThatThrownBy(() -> check(sourced + read)).hasMessageContaining("no 'documented', of x-points-left");
        assertThatThrownBy(() -> check(sourced.replace("host: API.example.com\n", "") + read))
                .hasMessageContaining("Example needs a host: others may mean something else by x-points-left");
    }

    @Test
    void entriesOfAUserReplaceThoseOfAHost() {
        HintReader reader = HintReader.builder()
                .vendors("vendor: Mine\nheader RateLimit-Remaining: remaining quota=mine\n")
                .build();
        Head head = Head.of(200, "RateLimit-Remaining", "7").at("api.yelp.com");
        assertThat(head.quota().policy()).isEqualTo("daily");
        assertThat(Head.of(200, "RateLimit-Remaining", "7")
                        .at("notyelp.com")
                        .quota()
                        .policy())
                .isNull();
        assertThat(reader.read(head, Head.NOW).quotas()).containsExactly(new Quota("mine", null, 7L, null, null));
    }

    private static void check(String text) {
        Readings.requireVerifiable(VendorFile.parse("text", text).get(0));
    }
}
