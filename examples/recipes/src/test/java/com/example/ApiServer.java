package com.example;

import dev.throttle.time.TimeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;

/** An API with a limit, on a time which passes when the client waits. It counts what it accepts and refuses. */
abstract class ApiServer extends Dispatcher implements AutoCloseable {

    private final MockWebServer server = new MockWebServer();
    private final TimeSource time;
    private int accepted;
    private int refused;

    ApiServer(TimeSource time) {
        this.time = time;
        server.setDispatcher(this);
        try {
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the address, without a slash at its end} */
    String url() {
        return "http://localhost:" + server.getPort();
    }

    synchronized int accepted() {
        return accepted;
    }

    synchronized int refused() {
        return refused;
    }

    @Override
    public synchronized MockResponse dispatch(RecordedRequest request) {
        MockResponse.Builder response = new MockResponse.Builder().setHeader("Content-Type", "application/json");
        if (answer(request, time.currentTimeMillis(), response)) {
            accepted++;
        } else {
            refused++;
        }
        return response.build();
    }

    /** Writes the answer to a request, and says whether it was accepted. */
    abstract boolean answer(RecordedRequest request, long now, MockResponse.Builder response);

    @Override
    public void close() {
        server.close();
    }
}
