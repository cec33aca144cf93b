package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.micrometer.ThrottleMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Ever new keys, all of which a server holds back for a day, in a JVM of its own with a heap of 96 MB and metrics
 * bound. The program runs with any number of keys.
 */
@Tag("slow")
public class HeldKeysMemoryTest {

    /** With {@code -DheldKeys=1000000} there are as many. */
    private static final int KEYS = Integer.getInteger("heldKeys", 40_000);

    private static final int FULL = 20_000;
    private static final int EVERY = 50;
    /** The cache of idle keys follows the number of those held back in steps. */
    private static final int MOST = 10_400;

    private static final long MOST_GROWTH_MIB = 8;

    /**
     * Makes the keys, and fails if they take more memory after the bound than at it.
     *
     * @param arguments how many keys
     */
    public static void main(String[] arguments) {
        int count = Integer.parseInt(arguments[0]);
        ThrottleRegistry throttles = ThrottleRegistry.create();
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        new ThrottleMetrics(throttles).bindTo(meters);
        long start = System.nanoTime();
        refuse(throttles, "used");
        Throttle used = throttles.get("used");
        long atBound = 0;
        for (int i = 0; i < count; i++) {
            refuse(throttles, "https://evil" + i + ".example:443");
            if (i % EVERY == 0) {
                check(throttles.get("used") == used && used.tryAcquire() == null, "a host in use stays held");
            }
            if (i == FULL) {
                atBound = usedMib();
            }
        }
        int kept = throttles.all().size();
        long atEnd = usedMib();
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
        System.out.printf(
                Locale.ROOT,
                "%,d keys in %d s: %,d kept, %,d meters, heap in use %d MiB after %,d keys and %d MiB after all%n",
                count,
                seconds,
                kept,
                meters.getMeters().size(),
                atBound,
                FULL,
                atEnd);
        check(kept <= MOST, "keys are bounded: " + kept);
        check(atEnd <= atBound + MOST_GROWTH_MIB, "the heap does not grow: " + atEnd);
    }

    private static void refuse(ThrottleRegistry throttles, String key) {
        Permit permit = throttles.get(key).tryAcquire();
        check(permit != null, key + " goes once");
        if (permit != null) {
            permit.end(Timeline.retryAfter(Duration.ofHours(20)));
        }
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException(what);
        }
    }

    private static long usedMib() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return (runtime.totalMemory() - runtime.freeMemory()) >> 20;
    }

    @Test
    void theyDoNotFillASmallHeap() throws IOException, InterruptedException {
        String path = System.getProperty("java.class.path");
        File log = File.createTempFile("held-keys", ".txt");
        try {
            Process program = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx96m",
                            "-XX:+UseSerialGC",
                            "-cp",
                            path,
                            HeldKeysMemoryTest.class.getName(),
                            String.valueOf(KEYS))
                    .redirectErrorStream(true)
                    .redirectOutput(log)
                    .start();
            try {
                assertThat(program.waitFor(300 + KEYS / 200, TimeUnit.SECONDS))
                        .as("it ends")
                        .isTrue();
            } finally {
                program.destroyForcibly();
            }
            String said = Files.readString(log.toPath(), StandardCharsets.UTF_8);
            assertThat(program.exitValue()).as(said).isZero();
            assertThat(said).startsWith(String.format(Locale.ROOT, "%,d keys in ", KEYS));
            System.out.print(said);
        } finally {
            assertThat(log.delete()).isTrue();
        }
    }
}
