package dev.throttle.lease.file;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.lease.FileFleet;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.FleetLimitBuilder;
import dev.throttle.lease.WhenAway;
import dev.throttle.signal.Signal;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A JVM of its own that keeps to a limit of a fleet in a folder. It writes down when {@code acquire} returned and how
 * long it took, by the machine's monotonic clock, which all processes of a machine share. Started again, it writes on.
 */
final class FileProcess implements AutoCloseable {

    /**
     * What all processes do.
     *
     * @param folder where fleets have their folders
     * @param burst 0 for a sliding window
     * @param callers how many threads ask
     * @param pause what a caller waits between two requests
     */
    record Job(Path folder, long permits, Duration period, long burst, int callers, Duration pause, WhenAway whenAway) {

        private List<String> args() {
            return List.of(
                    folder.toString(),
                    String.valueOf(permits),
                    period.toString(),
                    String.valueOf(burst),
                    String.valueOf(callers),
                    pause.toString(),
                    whenAway.name());
        }

        static Job of(String[] args) {
            return new Job(
                    Path.of(args[0]),
                    Long.parseLong(args[1]),
                    Duration.parse(args[2]),
                    Long.parseLong(args[3]),
                    Integer.parseInt(args[4]),
                    Duration.parse(args[5]),
                    WhenAway.valueOf(args[6]));
        }
    }

    /**
     * A request that may be sent.
     *
     * @param at when {@code acquire} returned
     * @param waited how long it took
     */
    record Granted(long at, long waited) {}

    private static final int RECORD = 2 * Long.BYTES;

    private final Job job;
    private final Path log;
    private final Path output;
    private Process process;

    FileProcess(Job job, Path logs, int number) {
        this.job = job;
        this.log = logs.resolve("granted-" + number);
        this.output = logs.resolve("output-" + number);
        this.process = started();
    }

    private Process started() {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                FileProcess.class.getName(),
                log.toString()));
        command.addAll(job.args());
        try {
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills it, without a chance to end anything. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    void restart() {
        process = started();
    }

    void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                .start()
                .waitFor();
    }

    /** {@return what it was granted so far, in order} */
    List<Granted> granted() {
        List<Granted> all = new ArrayList<>();
        if (!Files.exists(log)) {
            return all;
        }
        try (DataInputStream in = new DataInputStream(Files.newInputStream(log))) {
            while (true) {
                all.add(new Granted(in.readLong(), in.readLong()));
            }
        } catch (EOFException e) {
            all.sort(Comparator.comparingLong(Granted::at));
            return all;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String output() throws IOException {
        return Files.readString(output);
    }

    @Override
    public void close() {
        try {
            signal("CONT");
            kill();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs until it is killed. */
    public static void main(String[] args) throws Exception {
        Job job = Job.of(List.of(args).subList(1, args.length).toArray(new String[0]));
        Fleet fleet = FileFleet.builder("bar").folder(job.folder).build();
        FleetLimitBuilder limit = job.burst == 0
                ? fleet.slidingWindow(job.permits, job.period)
                : fleet.tokenBucket(job.permits, job.period).burst(job.burst);
        Throttle throttle = Throttle.builder()
                .name("api")
                .strategy(Strategies.none())
                .limit(limit.whenAway(job.whenAway).build())
                .maxWait(Duration.ofHours(1))
                .build();
        try (FileChannel log = FileChannel.open(
                Path.of(args[0]), StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < job.callers; i++) {
                Thread thread = new Thread(() -> run(throttle, job.pause, log));
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    private static void run(Throttle throttle, Duration pause, FileChannel log) {
        try {
            while (true) {
                long from = System.nanoTime();
                Permit permit = throttle.acquire();
                long at = System.nanoTime();
                ByteBuffer granted = ByteBuffer.allocate(RECORD).putLong(at).putLong(at - from);
                log.write(granted.flip()); // one call to the system: nothing is lost when it is killed
                permit.complete(Signal.SUCCESS);
                if (!pause.isZero()) {
                    Thread.sleep(pause.toMillis());
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
