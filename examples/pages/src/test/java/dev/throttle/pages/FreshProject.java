package dev.throttle.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A Maven project of a program, with nothing but its dependencies, and with a local repository that has Throttle's jars
 * as they were just built. What others have published it takes from the machine's own repository, or from Maven
 * Central.
 */
final class FreshProject {

    private static final String VERSION = System.getProperty("pages.version");
    private static final Path WORK =
            Path.of(System.getProperty("pages.build"), "projects").toAbsolutePath();
    /** Two, since two runs of Maven may not write to the same one. */
    private static final BlockingQueue<Path> FREE_REPOSITORIES =
            new ArrayBlockingQueue<>(2, false, List.of(WORK.resolve("repository"), WORK.resolve("repository-2")));

    private static final String KOTLIN = "2.3.21";
    private static final int MINUTES = 5;
    /** Maven and the programs are over before the second compiler of a JVM is of use. */
    private static final List<String> SHORT_LIVED = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    private final Program program;
    private final Path folder;

    FreshProject(Program program) throws IOException {
        this.program = program;
        this.folder = WORK.resolve(program.name().replaceAll("\\W", "-"));
        boolean isKotlin = program.isKotlin();
        Path sources = Files.createDirectories(
                folder.resolve(isKotlin ? "src/main/kotlin/com/example" : "src/main/java/com/example"));
        Files.writeString(sources.resolve(isKotlin ? "Main.kt" : "Main.java"), program.source());
        for (Path file : program.files()) {
            Files.writeString(sources.resolve(file.getFileName()), Files.readString(file));
        }
        Files.writeString(folder.resolve("pom.xml"), pom());
    }

    /** Puts Throttle's artifacts where fresh projects find them, as "mvn install" does. */
    static void publish() throws IOException {
        copy(Path.of("../../pom.xml"), "throttle-parent", "pom");
        copy(Path.of("../../throttle-bom/pom.xml"), "throttle-bom", "pom");
        for (String artifact : List.of(
                "throttle-signal",
                "throttle-core",
                "throttle-okhttp",
                "throttle-jdkhttp",
                "throttle-lease",
                "throttle-redis",
                "throttle-spring",
                "throttle-spring-boot-starter",
                "throttle-testing")) {
            Path module = Path.of("../..", artifact);
            copy(module.resolve("pom.xml"), artifact, "pom");
            Path jar = module.resolve(System.getProperty("pages.build")).resolve(artifact + "-" + VERSION + ".jar");
            assertThat(jar).as("run this with mvn package").exists();
            copy(jar, artifact, "jar");
        }
    }

    private static void copy(Path file, String artifact, String kind) throws IOException {
        for (Path repository : FREE_REPOSITORIES) {
            Path into = Files.createDirectories(
                    repository.resolve("dev/throttle").resolve(artifact).resolve(VERSION));
            Files.copy(file, into.resolve(artifact + "-" + VERSION + "." + kind), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Compiles the program. */
    void compile() throws IOException, InterruptedException {
        Path repository = FREE_REPOSITORIES.take();
        try {
            compile(repository);
        } finally {
            FREE_REPOSITORIES.add(repository);
        }
    }

    private void compile(Path repository) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("mvn", "-B", "-ntp", "-q", "-Dmaven.repo.local=" + repository));
        if (program.isKotlin()) {
            command.add("org.jetbrains.kotlin:kotlin-maven-plugin:" + KOTLIN + ":compile");
        } else {
            command.add("org.apache.maven.plugins:maven-compiler-plugin:3.16.0:compile");
        }
        command.add("org.apache.maven.plugins:maven-dependency-plugin:3.9.0:build-classpath");
        command.add("-Dmdep.outputFile=" + folder.resolve("classpath"));
        execute(command);
    }

    /** Runs it; {@return what it printed} */
    String run(String... arguments) throws IOException, InterruptedException {
        String classPath = folder.resolve("target/classes")
                + File.pathSeparator
                + Files.readString(folder.resolve("classpath")).strip();
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m"));
        command.addAll(SHORT_LIVED);
        command.addAll(List.of("-cp", classPath));
        command.add(program.isKotlin() ? "com.example.MainKt" : "com.example.Main");
        command.addAll(List.of(arguments));
        return execute(command);
    }

    private String execute(List<String> command) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("XDG_STATE_HOME", folder.resolve("state").toString()); // not that of who tests
        builder.environment().merge("MAVEN_OPTS", String.join(" ", SHORT_LIVED), (given, ours) -> given + " " + ours);
        Process process = builder.start();
        boolean isOver = process.waitFor(MINUTES, TimeUnit.MINUTES);
        process.destroyForcibly();
        String printed = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(isOver).as("%s takes too long:%n%s", program, printed).isTrue();
        assertThat(process.exitValue()).as("%s:%n%s", program, printed).isZero();
        return printed;
    }

    private String pom() throws IOException {
        return """
                <project xmlns="http://maven.apache.org/POM/4.0.0">
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>com.example</groupId><artifactId>fresh</artifactId><version>1</version>
                  <properties>
                    <maven.compiler.release>17</maven.compiler.release>
                    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
                  </properties>
                  <repositories><repository><id>machine</id><url>%1$s</url></repository></repositories>
                  <pluginRepositories><pluginRepository><id>machine</id><url>%1$s</url></pluginRepository></pluginRepositories>
                  <dependencyManagement><dependencies>
                %2$s
                  </dependencies></dependencyManagement>
                  <dependencies>
                %3$s
                  </dependencies>%4$s
                </project>
                """.formatted(
                Path.of(System.getProperty("pages.local")).toUri(),
                program.imports(),
                program.dependencies(),
                program.isKotlin() ? "\n  <build><sourceDirectory>src/main/kotlin</sourceDirectory></build>" : "");
    }
}
