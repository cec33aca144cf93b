package dev.throttle.redis;

import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.fixtures.Recorder;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.WhenAway;
import dev.throttle.signal.Signal;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A JVM of its own that keeps to a limit of the fleet and always has something to do. It writes down when its throttle
 * let requests go, in nanoseconds of the machine's monotonic clock, which all processes of a machine share.
 */
final class FleetProcess implements AutoCloseable {

    private final Path file;
    final Process process;

    FleetProcess(
            Path folder,
            int number,
            String uri,
            long permits,
            long burst,
            int callers,
            Duration skew,
            WhenAway whenAway) {
        this.file = folder.resolve("departures-" + number);
        try {
            this.process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx64m",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            FleetProcess.class.getName(),
                            uri,
                            String.valueOf(permits),
                            String.valueOf(burst),
                            String.valueOf(callers),
                            String.valueOf(skew.toMillis()),
                            file.toString(),
                            whenAway.name())
                    .redirectErrorStream(true)
                    .redirectOutput(new File(folder.toFile(), "log-" + number))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return when it let requests go, those that it had time to write down} */
    List<Long> departures() {
        List<Long> times = new ArrayList<>();
        if (!Files.exists(file)) {
            return times;
        }
        try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
            while (true) {
                times.add(in.readLong());
            }
        } catch (EOFException e) {
            return times;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void signal(String name) {
        RedisProcess.signal(process.pid(), name);
    }

    @Override
    public void close() {
        signal("CONT");
        process.destroyForcibly();
    }

    /** Runs until it is killed. */
    public static void main(String[] args) throws Exception {
        SkewedTime time = new SkewedTime(Duration.ofMillis(Long.parseLong(args[4])));
        Fleet fleet = RedisFleet.builder("bar", args[0])
                .time(time)
                .startTimeout(Duration.ofSeconds(5))
                .timeout(Duration.ofMillis(150)) // eight JVMs and more on few processors
                .build();
        try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(Path.of(args[5])))) {
            long ahead = time.skew().toNanos();
            Throttle throttle = Throttle.builder()
                    .name("api")
                    .strategy(Strategies.none())
                    .limit(fleet.tokenBucket(Long.parseLong(args[1]), Duration.ofSeconds(1))
                            .burst(Long.parseLong(args[2]))
                            .whenAway(WhenAway.valueOf(args[6]))
                            .build())
                    .limit(new Recorder(at -> write(out, at - ahead)))
                    .maxWait(Duration.ofHours(1))
                    .time(time)
                    .build();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < Integer.parseInt(args[3]); i++) {
                Thread thread = new Thread(() -> run(throttle));
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    private static void write(DataOutputStream out, long at) {
        try {
            out.writeLong(at); // one call to the system: nothing is lost when it is killed
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void run(Throttle throttle) {
        try {
            while (true) {
                throttle.acquire().complete(Signal.SUCCESS);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
