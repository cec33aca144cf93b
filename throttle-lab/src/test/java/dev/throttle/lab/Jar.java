package dev.throttle.lab;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the packaged jar as a process. */
final class Jar {

    private static final long PATIENCE_SECONDS = 120;
    /** Most runs are over before the second compiler of the JVM is of use, and there are more than a hundred. */
    private static final List<String> JVM_ARGS = List.of("-Xmx128m", "-XX:TieredStopAtLevel=1");

    private Jar() {}

    static String path() {
        String path = System.getProperty("lab.jar");
        if (path == null) {
            throw new IllegalStateException("these tests run after packaging: mvn -pl throttle-lab -am verify");
        }
        return path;
    }

    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** What a process did. */
    record Result(int status, String out, String err) {

        List<String> lines() {
            return out.lines().toList();
        }
    }

    static Result run(String input, String... args) {
        return run(List.of("-jar", path()), input, args);
    }

    static Result runOnClassPath(String more, String... args) {
        return run(List.of("-cp", path() + File.pathSeparator + more, "dev.throttle.lab.Main"), "", args);
    }

    private static Result run(List<String> jvmArgs, String input, String... args) {
        try {
            Path in = Files.createTempFile("lab", ".in");
            Path out = Files.createTempFile("lab", ".out");
            Path err = Files.createTempFile("lab", ".err");
            try {
                Files.writeString(in, input);
                Process process = start(jvmArgs, args)
                        .redirectInput(in.toFile())
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start();
                int status = await(process);
                return new Result(status, Files.readString(out), Files.readString(err));
            } finally {
                Files.delete(in);
                Files.delete(out);
                Files.delete(err);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static ProcessBuilder start(String... args) {
        return start(List.of("-jar", path()), args);
    }

    private static ProcessBuilder start(List<String> jvmArgs, String... args) {
        List<String> command = new ArrayList<>(List.of(java()));
        command.addAll(JVM_ARGS);
        command.addAll(jvmArgs);
        command.addAll(List.of(args));
        return new ProcessBuilder(command);
    }

    static int await(Process process) {
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("the process does not end");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            throw new IllegalStateException(e);
        }
    }

    /** Writes to a process that may stop reading at any time. */
    static void feed(Process process, String text) {
        try (OutputStream in = process.getOutputStream()) {
            in.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // it has read enough
        }
    }
}
