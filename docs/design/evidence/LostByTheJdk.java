import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Two things that the JDK's HTTP client does without a throttle, when a future is cancelled just before it completes:
 * it never ends, if the body is a stream; and it cuts off another call.
 *
 * <pre>java docs/design/evidence/LostByTheJdk.java</pre>
 */
public class LostByTheJdk {

    private static final int CALLS = 10_000;
    private static final int AT_A_TIME = 24;
    private static final int LONG_BODY = 60_000;
    private static final int SHORT_BODY = 200;

    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1, LostByTheJdk::daemon);
    private final ExecutorService threads = Executors.newCachedThreadPool(LostByTheJdk::daemon);

    public static void main(String[] args) throws Exception {
        LostByTheJdk test = new LostByTheJdk();
        ServerSocket server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        test.threads.execute(() -> test.accept(server));
        String url = "http://127.0.0.1:" + server.getLocalPort() + "/";
        System.out.println("clients that have not ended 10 s after close(): " + test.cancelsStreams(url) + " of 1");
        System.out.println("calls that failed because another was cancelled: " + test.cancelsOthers(url) + " of about "
                + CALLS / 2);
    }

    /** All calls are cancelled within 3 ms, some when the body has begun and the future is not complete. */
    private int cancelsStreams(String url) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        Semaphore room = new Semaphore(AT_A_TIME);
        for (int i = 0; i < CALLS; i++) {
            room.acquire();
            threads.execute(() -> {
                var future = client.sendAsync(request(url + LONG_BODY), BodyHandlers.ofInputStream());
                timer.schedule(() -> future.cancel(true), random(3000), TimeUnit.MICROSECONDS);
                try (var body = future.join().body()) {
                    body.readAllBytes();
                } catch (CancellationException | CompletionException | IOException e) {
                    // cancelled in time
                } finally {
                    room.release();
                }
            });
        }
        room.acquire(AT_A_TIME);
        if (!(client instanceof AutoCloseable closeable)) {
            throw new IllegalStateException("before Java 21 a client cannot be closed");
        }
        Thread closing = daemon(() -> {
            try {
                closeable.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        closing.start();
        closing.join(10_000);
        return closing.isAlive() ? 1 : 0;
    }

    /** Half of the calls are cancelled while their bodies, which have ended, are turned into what the caller wants. */
    private int cancelsOthers(String url) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        Semaphore room = new Semaphore(AT_A_TIME);
        AtomicInteger hit = new AtomicInteger();
        for (int i = 0; i < CALLS; i++) {
            boolean isCancelled = i % 2 == 0;
            room.acquire();
            CompletableFuture<CompletableFuture<?>> itself = new CompletableFuture<>();
            BodyHandler<byte[]> handler = info -> BodySubscribers.mapping(BodySubscribers.ofByteArray(), body -> {
                if (isCancelled) {
                    timer.schedule(() -> itself.join().cancel(true), random(2000), TimeUnit.MICROSECONDS);
                    sleep(1);
                }
                return body;
            });
            var future = client.sendAsync(request(url + (isCancelled ? SHORT_BODY : LONG_BODY)), handler);
            itself.complete(future);
            future.whenComplete((response, thrown) -> {
                if (thrown != null && !isCancelled && String.valueOf(rootOf(thrown)).contains("Request cancelled")) {
                    hit.incrementAndGet();
                }
                room.release();
            });
        }
        room.acquire(AT_A_TIME);
        return hit.get();
    }

    private static HttpRequest request(String url) {
        return HttpRequest.newBuilder(URI.create(url)).build();
    }

    private static long random(int most) {
        return ThreadLocalRandom.current().nextLong(20, most);
    }

    private static Throwable rootOf(Throwable thrown) {
        return thrown.getCause() == null ? thrown : rootOf(thrown.getCause());
    }

    private void accept(ServerSocket server) {
        while (true) {
            try {
                Socket socket = server.accept();
                threads.execute(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    /** Sends as many bytes as the path says, in two pieces. */
    private static void serve(Socket socket) {
        try (socket) {
            BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
            OutputStream out = socket.getOutputStream();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                int bytes = Integer.parseInt(line.split(" ")[1].substring(1));
                while (!in.readLine().isEmpty()) {
                    // the headers
                }
                out.write(("HTTP/1.1 200 OK\r\nContent-Length: " + bytes + "\r\n\r\n").getBytes());
                out.write(new byte[bytes / 2]);
                out.flush();
                if (bytes > SHORT_BODY) {
                    sleep(1);
                }
                out.write(new byte[bytes / 2]);
                out.flush();
            }
        } catch (IOException | RuntimeException e) {
            // the client has gone
        }
    }

    private static void sleep(int millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }
}
