package dev.throttle.lab.page;

import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.imageio.ImageIO;

/** A real browser without a screen: Chromium or Chrome of this machine. */
public final class Browser {

    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome", "chrome");
    private static final long PATIENCE_SECONDS = 120;

    private final String program;
    private final Path folder;

    public Browser(Path folder) {
        this.folder = folder;
        this.program = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .flatMap(path -> NAMES.stream().map(name -> Path.of(path, name)))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("these tests need one of " + NAMES));
    }

    /** {@return the document as it is when its scripts have run} */
    public String dom(String url) throws IOException, InterruptedException {
        return Files.readString(run("--virtual-time-budget=2000", "--dump-dom", url));
    }

    /** {@return what a user sees} */
    public BufferedImage screenshot(String url, boolean dark) throws IOException, InterruptedException {
        Path file = folder.resolve(dark ? "dark.png" : "light.png");
        String scheme = "--blink-settings=preferredColorScheme=" + (dark ? 0 : 1);
        run("--window-size=1300,1700", scheme, "--screenshot=" + file, url);
        return Objects.requireNonNull(ImageIO.read(file.toFile()));
    }

    private Path run(String... args) throws IOException, InterruptedException {
        Path out = Files.createTempFile(folder, "browser", ".out");
        List<String> command = new ArrayList<>(List.of(
                program,
                "--headless",
                "--no-sandbox", // cannot be had in most containers; the pages are ours
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--user-data-dir=" + folder.resolve("profile")));
        command.addAll(List.of(args));
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(folder.resolve("browser.err").toFile())
                .start();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(
                        "the browser failed: " + Files.readString(folder.resolve("browser.err")));
            }
        } finally {
            process.destroyForcibly();
        }
        return out;
    }
}
