package dev.throttle.reality;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Small JVMs with the class path of this one. */
public final class Jvm {

    private Jvm() {}

    /**
     * {@return the command that runs a program}
     *
     * @param program has a {@code main}
     * @param options of the JVM
     * @param arguments of the program
     */
    public static List<String> command(Class<?> program, List<String> options, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m", "-XX:+UseSerialGC"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath(), program.getName()));
        command.addAll(arguments);
        return command;
    }

    /** {@return the class path of this JVM for a program in another directory} */
    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(element -> Path.of(element).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
