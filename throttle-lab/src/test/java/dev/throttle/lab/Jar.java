package dev.throttle.lab;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the packaged jar as a process. */
final class Jar {

    private static final long PATIENCE_SECONDS = 120;
    private static final List<String> LITTLE_MEMORY = List.of("-Xmx128m", "-XX:+UseSerialGC");
    /** Most runs are over before the second compiler of the JVM is of use. */
    private static final String SOON_OVER = "-XX:TieredStopAtLevel=1";

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
        return run(List.of(SOON_OVER, "-jar", path()), input, args);
    }

    static Result runOnClassPath(String more, String... args) {
        return run(List.of(SOON_OVER, "-cp", path() + File.pathSeparator + more, "dev.throttle.lab.Main"), "", args);
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

    /** Runs it in a process that is kept for the next run of this kind, which is over much sooner. */
    static Result runWarm(String input, String... args) {
        return Warm.PROCESS.run(input, args);
    }

    static ProcessBuilder start(String... args) {
        return start(List.of("-jar", path()), args);
    }

    private static ProcessBuilder start(List<String> jvmArgs, String... args) {
        List<String> command = new ArrayList<>(List.of(java()));
        command.addAll(LITTLE_MEMORY);
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

    /** A process for many runs. Its stderr is a file, so that two pipes need not be read at once. */
    private static final class Warm {

        static final Warm PROCESS = new Warm();

        private final Process process;
        private final Path err;
        private final BufferedInputStream out;
        private int errRead;

        private Warm() {
            try {
                err = Files.createTempFile("lab", ".err");
                err.toFile().deleteOnExit();
                process = new ProcessBuilder(
                                java(),
                                "-Xmx256m",
                                "-XX:+UseSerialGC",
                                "-cp",
                                path() + File.pathSeparator + classes(),
                                RunOfMany.class.getName())
                        .redirectError(err.toFile())
                        .start();
                out = new BufferedInputStream(process.getInputStream());
            } catch (IOException | URISyntaxException e) {
                throw new IllegalStateException(e);
            }
        }

        private static String classes() throws URISyntaxException {
            return Path.of(RunOfMany.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        }

        synchronized Result run(String input, String... args) {
            try {
                RunOfMany.write(process.getOutputStream(), input, args);
                String written = upTo(RunOfMany.END);
                int status = Integer.parseInt(upTo('\n'));
                byte[] complaints = Files.readAllBytes(err);
                String complaint = new String(complaints, errRead, complaints.length - errRead, StandardCharsets.UTF_8);
                errRead = complaints.length;
                return new Result(status, written, complaint);
            } catch (IOException e) {
                process.destroyForcibly();
                throw new IllegalStateException(e);
            }
        }

        private String upTo(char end) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (int next = out.read(); next != end; next = out.read()) {
                if (next < 0) {
                    throw new EOFException("the process has ended: " + Files.readString(err));
                }
                bytes.write(next);
            }
            return bytes.toString(StandardCharsets.UTF_8);
        }
    }
}
