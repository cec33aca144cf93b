package dev.throttle.signal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.header.Meaning;
import dev.throttle.signal.header.Vendor;
import dev.throttle.signal.header.VendorFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tables in the page on headers are made from the table of vendors. {@code -Dgolden.update} writes them. */
class VendorDocTest {

    private static final Path PAGE = Path.of("../docs/headers.md");

    @Test
    void thePageListsTheVendors() throws IOException {
        StringBuilder table = new StringBuilder("| vendor | headers | notes |\n|---|---|---|\n");
        for (Vendor vendor : VendorFile.sorted(VendorFile.standard())) {
            table.append("| [")
                    .append(vendor.name())
                    .append("](")
                    .append(vendor.source())
                    .append(") | ");
            table.append(String.join(", ", headers(vendor))).append(" | ");
            boolean constructed = vendor.samples().get(0).constructed();
            Stream<String> from = constructed ? Stream.of("Constructed from the documentation.") : Stream.empty();
            table.append(Stream.concat(vendor.notes().stream(), from).collect(Collectors.joining(" ")))
                    .append(" |\n");
        }
        check("vendors", table.toString());
    }

    private static Set<String> headers(Vendor vendor) {
        Set<String> headers = new LinkedHashSet<>();
        List<String> lines = vendor.samples().get(0).headers();
        for (int i = 0; i < lines.size(); i += 2) {
            if (!lines.get(i).equalsIgnoreCase("Date")) {
                headers.add("`" + lines.get(i) + ": " + lines.get(i + 1) + "`");
            }
        }
        return headers;
    }

    @Test
    void thePageListsTheMeanings() throws IOException {
        String words = Arrays.stream(Meaning.values())
                .map(meaning -> "`" + meaning.words() + "`")
                .collect(Collectors.joining(", "));
        check("meanings", "The meanings are " + words + ".\n");
    }

    private static void check(String name, String expected) throws IOException {
        String page = Files.readString(PAGE);
        String begin = "<!-- " + name + " -->\n";
        int from = page.indexOf(begin) + begin.length();
        int to = page.indexOf("<!-- end of " + name + " -->");
        if (System.getProperty("golden.update") != null) {
            Files.writeString(PAGE, page.substring(0, from) + expected + page.substring(to));
        } else {
            assertThat(page.substring(from, to)).isEqualTo(expected);
        }
    }
}
