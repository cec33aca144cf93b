package dev.throttle.lab.torture;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import javax.net.ServerSocketFactory;

/** Makes server sockets on loopback, and knows which connections they have open. */
final class OpenSockets extends ServerSocketFactory {

    private static final int BACKLOG = 200;

    private final Set<Counted> open = ConcurrentHashMap.newKeySet();

    /** {@return how many are open, of those whose client has not gone} */
    int count() {
        for (Counted socket : open) {
            if (socket.isGone) {
                close(socket); // MockWebServer leaves it open if the client goes while they shake hands
            }
        }
        return open.size();
    }

    /** Closes them all, as a server does that goes away. */
    void closeAll() {
        open.forEach(OpenSockets::close);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed then.
        }
    }

    /** {@return how many are open, by the port of the server} */
    @Override
    public String toString() {
        return open.stream()
                .collect(Collectors.groupingBy(Socket::getLocalPort, Collectors.counting()))
                .toString();
    }

    @Override
    public ServerSocket createServerSocket() throws IOException {
        return new Listening();
    }

    @Override
    public ServerSocket createServerSocket(int port) throws IOException {
        return createServerSocket(port, BACKLOG);
    }

    @Override
    public ServerSocket createServerSocket(int port, int backlog) throws IOException {
        return createServerSocket(port, backlog, InetAddress.getLoopbackAddress());
    }

    @Override
    public ServerSocket createServerSocket(int port, int backlog, InetAddress address) throws IOException {
        return new Listening(port, Math.max(backlog, BACKLOG), address);
    }

    private final class Listening extends ServerSocket {

        Listening() throws IOException {}

        Listening(int port, int backlog, InetAddress address) throws IOException {
            super(port, backlog, address);
        }

        @Override
        public Socket accept() throws IOException {
            Counted socket = new Counted();
            implAccept(socket);
            open.add(socket);
            return socket;
        }
    }

    private final class Counted extends Socket {

        private volatile boolean isGone;

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    byte[] one = new byte[1];
                    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
                }

                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    try {
                        int read = super.read(bytes, offset, length);
                        isGone |= read < 0;
                        return read;
                    } catch (IOException e) {
                        isGone = true;
                        throw e;
                    }
                }
            };
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    try {
                        out.write(bytes, offset, length);
                    } catch (IOException e) {
                        isGone = true;
                        throw e;
                    }
                }
            };
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // the set is safe, and the rest is the socket's own
        public void close() throws IOException {
            open.remove(this);
            super.close();
        }
    }
}
