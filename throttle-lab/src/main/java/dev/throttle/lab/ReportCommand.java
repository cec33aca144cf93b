package dev.throttle.lab;

import dev.throttle.lab.page.ReportPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The reports of throttles that only observe, as a page. */
@Command(
        name = "report",
        mixinStandardHelpOptions = true,
        description = "Writes the reports of throttles that only observe as a page. Reads from stdin what the actuator"
                + " answers at /actuator/throttlereport.")
@SuppressWarnings("NullAway.Init") // set by picocli
final class ReportCommand implements Callable<Integer> {

    @Option(names = "--html", required = true, paramLabel = "FILE.html", description = "The page to write")
    private Path html;

    @Override
    public Integer call() throws IOException {
        JsonLines lines = new JsonLines(System.in);
        @Nullable Map<String, Object> answer = lines.next();
        if (answer == null) {
            throw lines.wrong("nothing to read; pipe the answer of /actuator/throttlereport into this command");
        }
        try {
            Files.writeString(html, ReportPage.html(answer));
        } catch (IllegalArgumentException e) {
            throw lines.wrong(String.valueOf(e.getMessage()));
        }
        return 0;
    }
}
