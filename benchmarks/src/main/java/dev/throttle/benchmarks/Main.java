package dev.throttle.benchmarks;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs the measurements and prints the tables of {@code docs/design/performance.md}. */
@Command(
        name = "benchmarks",
        mixinStandardHelpOptions = true,
        description = "Measures what throttling costs, and prints Markdown.")
public final class Main implements Callable<Integer> {

    @Parameters(description = "What to measure: ${COMPLETION-CANDIDATES}; all by default.")
    private List<Section> sections = List.of(Section.values());

    @Option(names = "--quick", description = "Just enough to see that it runs; the figures mean little.")
    private boolean quick;

    @Option(
            names = "--newer-jdk",
            paramLabel = "HOME",
            description = "A JDK with virtual threads, if the running one has none.")
    private @Nullable String newerJdk;

    private Main() {}

    /**
     * Runs the command line.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Main())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        if (newerJdk != null) {
            System.setProperty(FreshJvm.NEWER_JDK, newerJdk);
        }
        PrintStream out = System.out;
        Scale scale = quick ? Scale.QUICK : Scale.FULL;
        out.println("JDK " + Runtime.version() + ", " + Runtime.getRuntime().availableProcessors() + " processors, "
                + System.getProperty("os.name") + " " + System.getProperty("os.arch") + ", scale "
                + scale.name().toLowerCase(Locale.ROOT));
        for (Section section : sections) {
            out.println();
            out.println("## " + section.name().toLowerCase(Locale.ROOT));
            out.println();
            out.println(conditions());
            section.run(scale, out);
            out.println();
            out.println(conditions());
        }
        return 0;
    }

    private static String conditions() {
        return String.format(
                Locale.ROOT,
                "_%s, load average %.1f_%n",
                Instant.now().truncatedTo(ChronoUnit.SECONDS),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }
}
