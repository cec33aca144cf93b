package dev.throttle.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.embedded.RedisServer;

/**
 * Who follows a page gets a program that compiles and runs: in a fresh project of the page's own list of dependencies
 * and of nothing else. Runs in the profile "pages", as it needs Maven, and Maven Central for what this machine has not.
 */
class PagesTest {

    /** All of them, or with {@code -Dpages.only=kotlin} those whose names contain it. */
    static Stream<Program> programs() throws IOException {
        String only = System.getProperty("pages.only", "");
        return Program.all().stream().filter(program -> program.name().contains(only));
    }

    @BeforeAll
    static void publish() throws IOException {
        FreshProject.publish();
    }

    @Test
    void eachSnippetBelowAListOfDependenciesIsInAProgram() throws IOException {
        List<Program> programs = Program.all();
        List<String> missing = new ArrayList<>();
        for (Page page : Page.withDependencies()) {
            Set<Integer> used = new HashSet<>();
            programs.stream()
                    .filter(program -> program.page().name().equals(page.name()))
                    .forEach(program -> used.addAll(program.snippets()));
            for (int i = page.firstSnippet(); i <= page.snippets().size(); i++) {
                if (!used.contains(i)) {
                    missing.add(page.name() + " " + i);
                }
            }
            if (used.isEmpty()) {
                missing.add(page.name());
            }
        }
        assertThat(missing).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("programs")
    @Execution(ExecutionMode.CONCURRENT)
    void runs(Program program) throws Exception {
        FreshProject project = new FreshProject(program);
        project.compile();
        RedisServer redis = program.needsRedis() ? redis() : null;
        try (ApiServer api = new ApiServer()) {
            String printed = redis == null
                    ? project.run(api.url())
                    : project.run(
                            api.url(), "redis://127.0.0.1:" + redis.ports().get(0));
            assertThat(printed).contains("served").doesNotContain("observer of a ThrottlingInterceptor is missing");
            if (program.callsTheApi()) {
                assertThat(api.requests())
                        .as("the refused request and its repetition")
                        .isGreaterThan(1);
            }
        } finally {
            if (redis != null) {
                redis.stop();
            }
        }
    }

    private static RedisServer redis() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        RedisServer redis = RedisServer.newRedisServer()
                .port(port)
                .bind("127.0.0.1")
                .setting("save \"\"")
                .build();
        redis.start();
        return redis;
    }
}
