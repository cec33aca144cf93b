package dev.throttle.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Comparator;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The changelog has the form of Keep a Changelog, and the build compares its public types with those of the release
 * before the one it makes.
 */
class ChangelogTest {

    private static final Path ROOT = Path.of("..");

    private static final Pattern SECTION = Pattern.compile("^## (.*)$", Pattern.MULTILINE);
    private static final Pattern RELEASE = Pattern.compile("\\[(\\d+\\.\\d+\\.\\d+)] - (\\d{4}-\\d{2}-\\d{2})");
    private static final Pattern KIND = Pattern.compile("^### (.*)$", Pattern.MULTILINE);

    private final String changelog = Files.readString(ROOT.resolve("CHANGELOG.md"));
    private final String pom = Files.readString(ROOT.resolve("pom.xml"));

    ChangelogTest() throws IOException {}

    @Test
    void releasesComeNewestFirstAfterWhatIsNotReleased() {
        List<String> sections = SECTION.matcher(changelog)
                .results()
                .map(section -> section.group(1))
                .toList();
        assertThat(sections.get(0)).isEqualTo("[Unreleased]");
        assertThat(sections.subList(1, sections.size()))
                .isNotEmpty()
                .allMatch(section -> RELEASE.matcher(section).matches());
        assertThat(releases())
                .isSortedAccordingTo(Comparator.<Release, Runtime.Version>comparing(release -> number(release.version))
                        .reversed());
        assertThat(releases())
                .isSortedAccordingTo(Comparator.<Release, LocalDate>comparing(release -> release.date)
                        .reversed());
        assertThat(KIND.matcher(changelog).results().map(kind -> kind.group(1)))
                .allMatch(List.of("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")::contains);
    }

    @Test
    void publicTypesAreComparedWithThoseOfTheReleaseBefore() {
        Runtime.Version next = number(between("<artifactId>throttle-parent</artifactId>\n  <version>", "<")
                .replace("-SNAPSHOT", ""));
        List<String> before = releases().stream()
                .map(Release::version)
                .filter(version -> number(version).compareTo(next) < 0)
                .toList();
        assertThat(between("<japicmp.skip>", "<")).as("japicmp.skip").isEqualTo(String.valueOf(before.isEmpty()));
        if (!before.isEmpty()) {
            assertThat(between("<japicmp.baseline>", "<"))
                    .as("japicmp.baseline")
                    .isEqualTo(before.get(0));
        }
    }

    private record Release(String version, LocalDate date) {}

    private List<Release> releases() {
        return RELEASE.matcher(changelog).results().map(ChangelogTest::release).toList();
    }

    private static Release release(MatchResult found) {
        return new Release(found.group(1), LocalDate.parse(found.group(2)));
    }

    /** {@return numbers that can be compared; a version of Java must not end in 0} */
    private static Runtime.Version number(String version) {
        return Runtime.Version.parse("1." + version + ".1");
    }

    private String between(String start, String end) {
        int from = pom.indexOf(start) + start.length();
        assertThat(from).as(start).isGreaterThanOrEqualTo(start.length());
        return pom.substring(from, pom.indexOf(end, from));
    }
}
