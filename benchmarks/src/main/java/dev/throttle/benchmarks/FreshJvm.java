package dev.throttle.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs a measurement that JMH does not fit in a JVM of its own, with the options that are printed beside it: what is
 * measured there is one long course of events, a million waiters or ten seconds of traffic, and no operation that could
 * be repeated until it is warm.
 */
final class FreshJvm {

    /** Where another JDK is, for what the running one does not have. */
    static final String NEWER_JDK = "benchmarks.newerJdk";

    private FreshJvm() {}

    /** Runs a program to its end; what it prints is printed. */
    static void run(Class<?> program, Scale scale, String... options) throws IOException, InterruptedException {
        System.out.println("JVM options: `" + String.join(" ", options) + "`");
        System.out.println();
        System.out.flush();
        int code = start(program, List.of(scale.name()), options)
                .inheritIO()
                .start()
                .waitFor();
        if (code != 0) {
            throw new IllegalStateException(program.getSimpleName() + " ended with " + code);
        }
    }

    static ProcessBuilder start(Class<?> program, List<String> arguments, String... options) {
        String newer = System.getProperty(NEWER_JDK);
        boolean wanted = newer != null && program == VirtualThreads.class;
        List<String> command = new ArrayList<>();
        command.add(Path.of(wanted ? newer : System.getProperty("java.home"), "bin", "java")
                .toString());
        command.addAll(List.of(options));
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(program.getName());
        command.addAll(arguments);
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    }
}
