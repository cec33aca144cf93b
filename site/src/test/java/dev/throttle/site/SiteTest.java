package dev.throttle.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SiteTest {

    @TempDir
    private Path folder;

    private Path site() throws IOException {
        Path docs = Files.createDirectories(folder.resolve("root/docs"));
        Files.writeString(folder.resolve("root/README.md"), "# Top\n\nSee [all](docs/README.md).\n");
        Files.writeString(docs.resolve("README.md"), """
                # Pages

                ## Begin

                | | |
                |---|---|
                | [One](one.md) | first |
                | [Two](two.md) | second |
                """);
        Files.writeString(docs.resolve("one.md"), "# One\n\nText \"a\" < b.\n\n## Part `x\\y`\n\nMore of it.\n");
        Files.writeString(docs.resolve("two.md"), "# Two\n");
        Path out = folder.resolve("site");
        new Site(folder.resolve("root"), out, "https://example.com/").write();
        return out;
    }

    @Test
    void theMenuMarksThePageThatIsOpenAndNoOther() throws IOException {
        Path site = site();
        assertThat(Files.readString(site.resolve("docs/one.html")))
                .containsOnlyOnce("aria-current")
                .contains("<a href=\"one.html\" aria-current=\"page\">One</a>");
        assertThat(Files.readString(site.resolve("docs/two.html")))
                .containsOnlyOnce("aria-current")
                .contains("<a href=\"two.html\" aria-current=\"page\">Two</a>");
        assertThat(Files.readString(site.resolve("index.html"))).doesNotContain("aria-current");
    }

    @Test
    void everyPageCanBeSearchedAndFindsItsScripts() throws IOException {
        Path site = site();
        assertThat(new LinkCheck(site).broken()).isEmpty();
        try (Stream<Path> files = Files.walk(site)) {
            List<Path> pages =
                    files.filter(file -> file.toString().endsWith(".html")).toList();
            assertThat(pages).hasSize(4);
            for (Path page : pages) {
                assertThat(Files.readString(page)).contains("role=\"search\"").doesNotContain("${");
            }
        }
        assertThat(Files.readString(site.resolve("docs/one.html"))).contains("data-root=\"../\"");
        assertThat(Files.readString(site.resolve("index.html"))).contains("data-root=\"\"");
    }

    @Test
    void theIndexHasEachSectionAsText() throws IOException {
        assertThat(Files.readString(site().resolve("search.js")))
                .startsWith("const searchIndex = [")
                .contains(
                        "{\"page\":\"One\",\"heading\":\"One\",\"url\":\"docs/one.html\",\"text\":\"Text \\\"a\\\" < b.\"}")
                .contains("\"heading\":\"Part x\\\\y\",\"url\":\"docs/one.html#part-xy\",\"text\":\"More of it.\"")
                .contains("\"url\":\"index.html\"");
    }
}
