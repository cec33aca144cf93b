package dev.throttle.jdkhttp;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A server of bare sockets, which sees when a client goes away and can do what no server should. */
final class RawServer implements AutoCloseable {

    static final String REFUSED = "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n";
    static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

    /** What to do with a request. */
    interface Script {
        void answer(int number, Exchange exchange) throws IOException, InterruptedException;
    }

    private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "raw-server");
        thread.setDaemon(true);
        return thread;
    });

    private final ServerSocket listener;
    private final Script script;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    final AtomicInteger requests = new AtomicInteger();
    /** Requests read and neither answered nor given up by the client. */
    final AtomicInteger open = new AtomicInteger();
    /** Counted down when a client closes a connection whose answer it has not got. */
    final CountDownLatch givenUp = new CountDownLatch(1);

    RawServer(Script script) throws IOException {
        this.script = script;
        this.listener = new ServerSocket(0, 512, InetAddress.getLoopbackAddress());
        THREADS.execute(this::accept);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                socket.setTcpNoDelay(true);
                sockets.add(socket);
                THREADS.execute(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = socket.getInputStream();
            while (readRequest(in)) {
                open.incrementAndGet();
                try {
                    script.answer(requests.incrementAndGet(), new Exchange(socket));
                } finally {
                    open.decrementAndGet();
                }
            }
        } catch (IOException | InterruptedException e) {
            // the client is gone
        } finally {
            sockets.remove(socket);
        }
    }

    /** Reads the head of a request; the tests that use this server send no bodies. */
    private static boolean readRequest(InputStream in) throws IOException {
        int matched = 0;
        while (matched < 4) {
            int c = in.read();
            if (c < 0) {
                return false;
            }
            matched = c == (matched % 2 == 0 ? '\r' : '\n') ? matched + 1 : c == '\r' ? 1 : 0;
        }
        return true;
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + listener.getLocalPort() + "/");
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    /** A request that was read. */
    final class Exchange {
        private final Socket socket;

        Exchange(Socket socket) {
            this.socket = socket;
        }

        void send(String text) throws IOException {
            OutputStream out = socket.getOutputStream();
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
        }

        void close() throws IOException {
            socket.close();
        }

        /** Answers nothing until the client goes away. */
        void hang() throws IOException {
            int read;
            try {
                read = socket.getInputStream().read();
            } catch (IOException reset) {
                read = -1;
            }
            if (read < 0) {
                givenUp.countDown();
                socket.close();
            }
        }
    }

    boolean seesTheClientGo() throws InterruptedException {
        return givenUp.await(30, TimeUnit.SECONDS);
    }
}
