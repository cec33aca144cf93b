package dev.throttle.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Puts a distance between a server of this machine and its clients: what is sent arrives later, in the same order. */
final class DelayingProxy implements AutoCloseable {

    private final ServerSocket listener;
    private final int target;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private volatile long oneWayNanos;
    private volatile double jitter;

    private record Piece(byte[] bytes, long arrivesAt) {}

    DelayingProxy(int target, Duration roundTrip, double jitter) {
        this.target = target;
        setRoundTrip(roundTrip, jitter);
        try {
            this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    /**
     * Sets the distance.
     *
     * @param jitter the most that each way is longer or shorter, as a part of it
     */
    void setRoundTrip(Duration roundTrip, double jitter) {
        this.oneWayNanos = roundTrip.toNanos() / 2;
        this.jitter = jitter;
    }

    String uri() {
        return "redis://127.0.0.1:" + listener.getLocalPort();
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "delaying-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.addAll(List.of(client, server));
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                connect(client, server);
                connect(server, client);
            }
        } catch (IOException e) {
            close();
        }
    }

    private void connect(Socket from, Socket to) {
        BlockingQueue<Piece> way = new LinkedBlockingQueue<>();
        start(() -> read(from, way));
        start(() -> write(way, to));
    }

    private void read(Socket from, BlockingQueue<Piece> way) {
        try {
            InputStream in = from.getInputStream();
            byte[] buffer = new byte[1 << 16];
            for (int length = in.read(buffer); length > 0; length = in.read(buffer)) {
                double factor = 1 + jitter * (2 * ThreadLocalRandom.current().nextDouble() - 1);
                way.add(new Piece(Arrays.copyOf(buffer, length), System.nanoTime() + (long) (oneWayNanos * factor)));
            }
        } catch (IOException e) {
            // It was closed.
        }
        way.add(new Piece(new byte[0], System.nanoTime() + oneWayNanos));
    }

    private static void write(BlockingQueue<Piece> way, Socket to) {
        try (to) {
            OutputStream out = to.getOutputStream();
            for (Piece piece = way.take(); piece.bytes.length > 0; piece = way.take()) {
                TimeUnit.NANOSECONDS.sleep(piece.arrivesAt - System.nanoTime());
                out.write(piece.bytes);
                out.flush();
            }
        } catch (IOException | InterruptedException e) {
            // It was closed.
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
