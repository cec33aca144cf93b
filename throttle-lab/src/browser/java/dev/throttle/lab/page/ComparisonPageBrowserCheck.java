package dev.throttle.lab.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of a comparison in a real browser: needs Chromium, and runs in the profile "browser". */
class ComparisonPageBrowserCheck {

    /** Catches what goes wrong before anything else runs. */
    private static final String WATCH_ERRORS = "<script>addEventListener('error', e => {"
            + " document.documentElement.dataset.error = e.message; });</script>";

    @TempDir
    private Path folder;

    private Browser browser;
    private Path file;

    @BeforeEach
    void write() throws IOException {
        browser = new Browser(folder);
        file = folder.resolve("page.html");
        ComparisonPage.save(SampleResults.of("quota-pacing", "exponential-backoff", "backoff-retry-after"), 1, file);
    }

    /** {@return what a script of a visitor has left in an attribute of the body} */
    private String after(String script) throws IOException, InterruptedException {
        String page = Files.readString(file)
                .replace("<head>", "<head>" + WATCH_ERRORS)
                .replace("</body>", "<script>" + script + "</script></body>");
        Path visited = folder.resolve("visited.html");
        Files.writeString(visited, page);
        String dom = browser.dom(visited.toUri().toString());
        assertThat(found(dom, "<html[^>]* data-error=\"([^\"]*)\"")).isNull();
        return String.valueOf(found(dom, "<body[^>]* data-found=\"([^\"]*)\""));
    }

    private static @Nullable String found(String dom, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(dom);
        return matcher.find() ? matcher.group(1) : null;
    }

    @Test
    void drawsAChartOfEachKindAndOneOfEachStrategy() throws Exception {
        String found = after("const count = (id, what) => document.querySelectorAll('#' + id + ' ' + what).length;"
                + "document.body.dataset.found = [count('charts', 'canvas'), count('processes', 'canvas'),"
                + " count('figures', 'tbody tr')].join();");
        assertThat(found).isEqualTo("4,3,3");
    }

    @Test
    void explainsEachColumnBelowTheTable() throws Exception {
        String found = after("const texts = what => [...document.querySelectorAll(what)].map(each => each.textContent);"
                + "document.body.dataset.found = texts('#meanings dt').join()"
                + " === texts('#figures th').slice(1).join() && texts('#meanings dd').every(each => each.length > 20);");
        assertThat(found).isEqualTo("true");
    }

    @Test
    void sortsByTheColumnThatIsClickedAndBackwardsAtTheSecondClick() throws Exception {
        String found = after("const heading = [...document.querySelectorAll('#figures th')]"
                + ".find(each => each.textContent === 'requests');"
                + "const cells = () => [...document.querySelectorAll('#figures tbody tr')]"
                + ".map(row => Number(row.cells[1].textContent));"
                + "const sorted = (all, sign) => all.every((each, i) => i === 0 || sign * (each - all[i - 1]) >= 0);"
                + "heading.firstChild.click(); const up = sorted(cells(), 1) && heading.ariaSort;"
                + "heading.firstChild.click(); const down = sorted(cells(), -1) && heading.ariaSort;"
                + "document.body.dataset.found = up + ' ' + down;");
        assertThat(found).isEqualTo("ascending descending");
    }

    @Test
    void aStrategyThatIsSwitchedOffLeavesTheCharts() throws Exception {
        String found = after("document.querySelector('#figures input').click();"
                + "document.body.dataset.found = document.querySelectorAll('#processes canvas').length + ' '"
                + " + document.querySelectorAll('#figures tr.off').length;");
        assertThat(found).isEqualTo("2 1");
    }

    @Test
    void showsTheValuesUnderTheMouse() throws Exception {
        String found = after("const over = document.querySelector('#charts .u-over');"
                + "const box = over.getBoundingClientRect();"
                + "const at = { clientX: box.left + box.width / 2, clientY: box.top + 20, movementX: 1, bubbles: true };"
                + "over.dispatchEvent(new MouseEvent('mouseenter', at));"
                + "over.dispatchEvent(new MouseEvent('mousemove', at));"
                + "setTimeout(() => { const tip = over.querySelector('.tooltip');"
                + "document.body.dataset.found = tip.hidden + ' ' + tip.children.length + ' ' + tip.textContent; }, 500);");
        assertThat(found).matches("false 4 [45]\\.\\d+ min.*quota-pacing: [0-9.]+ s.*");
    }

    @Test
    void isLightOrDarkAsTheVisitorLikes() throws Exception {
        BufferedImage light = browser.screenshot(file.toUri().toString(), false);
        BufferedImage dark = browser.screenshot(file.toUri().toString(), true);
        assertThat(brightness(light)).isGreaterThan(200);
        assertThat(brightness(dark)).isLessThan(50);
        assertThat(colours(light)).isGreaterThan(200);
        assertThat(colours(dark)).isGreaterThan(200);
    }

    private static int brightness(BufferedImage image) {
        Color corner = new Color(image.getRGB(2, 2));
        return (corner.getRed() + corner.getGreen() + corner.getBlue()) / 3;
    }

    private static int colours(BufferedImage image) {
        Set<Integer> colours = new HashSet<>();
        for (int y = 0; y < image.getHeight(); y++) {
            for (int x = 0; x < image.getWidth(); x++) {
                colours.add(image.getRGB(x, y));
            }
        }
        return colours.size();
    }
}
