package dev.throttle.reality.load;

import dev.throttle.reality.Jvm;
import dev.throttle.reality.Limit;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** A process of its own that makes calls until it is over. */
public final class Worker implements AutoCloseable {

    private static final Duration LONGEST_START = Duration.ofMinutes(3);
    private static final Duration LONGEST_END = Duration.ofSeconds(20);

    private final Process process;

    private Worker(Process process) {
        this.process = process;
    }

    /**
     * What a worker has done.
     *
     * @param succeeded calls that ended with 200
     * @param failed calls that ended otherwise
     * @param requests on the wire
     * @param refused requests
     */
    record Report(int succeeded, int failed, int requests, int refused) {}

    /** Starts a process, which waits for {@link #go}. */
    static Worker start(ClientKind kind, URI uri, Limit limit, int callers, Duration length) throws IOException {
        List<String> arguments = List.of(
                kind.name(),
                uri.toString(),
                Integer.toString(limit.calls()),
                limit.per().toString(),
                Integer.toString(callers),
                length.toString());
        return new Worker(new ProcessBuilder(Jvm.command(Worker.class, List.of(), arguments))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** Waits until the process is ready. */
    void awaitReady() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + LONGEST_START.toNanos();
        while (!process.inputReader().ready()) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                throw new IOException("a worker did not start");
            }
            Thread.sleep(10);
        }
        process.inputReader().readLine();
    }

    /** Lets the process begin. */
    void go() throws IOException {
        process.outputWriter().write("go\n");
        process.outputWriter().flush();
    }

    /** {@return what it has done, when it has ended} */
    Report end(Duration length) throws IOException, InterruptedException {
        if (!process.waitFor(length.plus(LONGEST_END).toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IOException("a worker did not end");
        }
        String[] words = String.valueOf(process.inputReader().readLine()).split(" ", -1);
        if (words.length != 4) {
            throw new IOException("a worker failed");
        }
        return new Report(
                Integer.parseInt(words[0]),
                Integer.parseInt(words[1]),
                Integer.parseInt(words[2]),
                Integer.parseInt(words[3]));
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /**
     * Makes calls. It prints a line when it is ready, begins at a line of input, and prints its counts.
     *
     * @param args the client, what it calls, the calls and the time of the limit, callers, and how long
     * @throws Exception if it fails
     */
    public static void main(String[] args) throws Exception {
        ClientKind kind = ClientKind.valueOf(args[0]);
        Wire wire = new Wire();
        Limit limit = Limit.window(Integer.parseInt(args[2]), Duration.parse(args[3]));
        try (LoadClient client = kind.create(URI.create(args[1]), wire, limit)) {
            Calls calls = new Calls(client);
            System.out.println("ready");
            if (System.in.read() < 0) {
                return; // the parent is gone
            }
            calls.endless(Integer.parseInt(args[4]), Duration.parse(args[5]));
            System.out.printf(
                    Locale.ROOT,
                    "%d %d %d %d%n",
                    calls.tally().succeeded(),
                    calls.tally().failed(),
                    wire.exchanges().size(),
                    wire.count(Wire.Exchange::isRefused));
        }
        System.exit(0); // whatever still waits
    }
}
