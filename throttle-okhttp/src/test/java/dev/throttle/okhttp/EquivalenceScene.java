package dev.throttle.okhttp;

import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import dev.throttle.fixtures.ClientScene;
import dev.throttle.retry.RetryPolicy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import okhttp3.Cache;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Dispatcher;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** A server and a client for one row of the table of {@link EquivalenceTest}, and all that shows of its calls. */
final class EquivalenceScene implements ClientScene, AutoCloseable {

    /** How calls are made. */
    enum Door {
        BARE,
        INTERCEPTOR,
        FACTORY
    }

    private final Door door;
    private final boolean isAsync;
    private final List<String> log = Collections.synchronizedList(new ArrayList<>());
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final List<String> uncaught = Collections.synchronizedList(new ArrayList<>());
    private final MockWebServer server = new MockWebServer();
    private final ExecutorService executor =
            new ThreadPoolExecutor(0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                Thread thread = new Thread(task);
                threads.add(thread);
                thread.setUncaughtExceptionHandler((dying, e) -> uncaught.add(e.toString()));
                return thread;
            });
    private final EventLog events = new EventLog(this::log);
    private boolean isServerIgnored;
    private Call.Factory calls;
    private OkHttpClient client;

    EquivalenceScene(Door door, boolean isAsync) throws IOException {
        this.door = door;
        this.isAsync = isAsync;
        server.start(InetAddress.getLoopbackAddress(), 0);
        client(settings -> {});
    }

    void log(String what) {
        log.add(what.replaceAll("\\b" + server.url("/").port() + "\\b", "PORT"));
    }

    List<String> log() {
        return List.copyOf(log);
    }

    /** Replaces in all that was logged what differs from run to run. */
    void replace(String pattern, String replacement) {
        log.replaceAll(line -> line.replaceAll(pattern, replacement));
    }

    /** Keeps of the log only how calls ended: what happens before depends on how busy the machine is. */
    void ignoreHowFarItCame() {
        replace("^events.*| because of [^,]*", "");
        isServerIgnored = true;
    }

    /** Makes the client of the row. */
    void client(Consumer<OkHttpClient.Builder> settings) {
        OkHttpClient.Builder builder = new OkHttpClient.Builder()
                .dns(host -> List.of(InetAddress.getLoopbackAddress()))
                .dispatcher(new Dispatcher(executor))
                .eventListener(events);
        settings.accept(builder);
        OkHttpClient bare = builder.build();
        ThrottleRegistry throttles = ThrottleRegistry.builder()
                .strategy(Strategies.none())
                .retryPolicy(RetryPolicy.none())
                .build();
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(throttles);
        client = bare;
        calls = switch (door) {
            case BARE -> bare;
            case INTERCEPTOR -> {
                OkHttpClient.Builder throttled = bare.newBuilder();
                throttled.interceptors().add(0, throttling);
                throttled.networkInterceptors().add(0, throttling.observer());
                yield throttled.build();
            }
            case FACTORY -> throttling.callFactory(bare);
        };
    }

    OkHttpClient client() {
        return client;
    }

    /** Gives the client a cache, which goes with the scene. */
    void cache() throws IOException {
        Path folder = Files.createTempDirectory("equivalence");
        client(client -> client.cache(new Cache(folder.toFile(), 1 << 20)));
    }

    @Override
    public void answer(MockResponse... responses) {
        for (MockResponse response : responses) {
            server.enqueue(response);
        }
    }

    MockWebServer server() {
        return server;
    }

    String url(String host, String path) {
        return server.url(path).newBuilder().host(host).build().toString();
    }

    Request.Builder request() {
        return new Request.Builder().url(server.url("/path?q=1"));
    }

    Call newCall(Request request) {
        return calls.newCall(request);
    }

    @Override
    public void get() throws Exception {
        call(request().build());
    }

    @Override
    public void call(String method, String body) throws Exception {
        RequestBody sent = body.isEmpty() ? null : RequestBody.create(body, MediaType.get("text/plain"));
        call(request().method(method, sent).build());
    }

    void call(Request request) throws Exception {
        run(newCall(request), response -> log("body " + response.body().string().hashCode()));
    }

    /** Runs a call that was made before. */
    void run(Call call, Reading reading) throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        if (isAsync) {
            try {
                call.enqueue(new Callback() {
                    @Override
                    public void onResponse(Call made, Response response) {
                        read(call, made, response, reading);
                        ended.countDown();
                    }

                    @Override
                    public void onFailure(Call made, IOException e) {
                        failed(e);
                        log("the call itself " + (made == call));
                        ended.countDown();
                    }
                });
            } catch (RuntimeException e) {
                failed(e);
                ended.countDown();
            }
            ended.await();
        } else {
            try (Response response = call.execute()) {
                read(call, call, response, reading);
            } catch (Throwable e) { // OkHttp throws InterruptedException too, which it does not declare
                failed(e);
            }
        }
        log("left interrupted " + Thread.interrupted());
        log("canceled " + call.isCanceled() + ", executed " + call.isExecuted() + ", "
                + call.timeout().timeoutNanos());
        awaitEndOfEvents();
    }

    /** The last event of an enqueued call may come after its callback, and the last of a connection too. */
    private void awaitEndOfEvents() throws Exception {
        LoopbackTest.awaitThat(() -> events.areOver() && client.dispatcher().runningCallsCount() == 0);
        events.flush();
    }

    private void read(Call call, Call made, Response response, Reading reading) {
        try (response) {
            log("the call itself " + (made == call));
            describe("", response);
            reading.read(response);
        } catch (IOException | RuntimeException e) {
            failed(e);
        }
    }

    /** What is done with a response. */
    @FunctionalInterface
    interface Reading {
        void read(Response response) throws IOException;
    }

    private void failed(Throwable e) {
        if (e instanceof SocketTimeoutException) { // whether the socket notices first, or OkHttp's own timer
            log("failed " + e.getClass());
            return;
        }
        Throwable cause = e.getCause();
        log("failed " + e + (cause == null ? "" : " because of " + cause) + ", suppressed " + e.getSuppressed().length);
    }

    private void describe(String prefix, Response response) {
        log(prefix + response.code() + " " + response.message() + " " + response.protocol() + " "
                + response.headers().newBuilder().removeAll("Date").build());
        log(prefix + response.request().method() + " " + response.request().url() + " "
                + response.request().headers() + " tag "
                + response.request().tag(String.class) + ", handshake " + (response.handshake() != null)
                + ", challenges " + response.challenges() + ", " + response.cacheControl());
        log(prefix + "network " + codeOf(response.networkResponse()) + ", cache " + codeOf(response.cacheResponse()));
        Response prior = response.priorResponse();
        if (prior != null) {
            describe(prefix + "before: ", prior);
        }
    }

    private static int codeOf(Response response) {
        return response == null ? 0 : response.code();
    }

    /** Adds to the log what came to the server, and what nobody caught. */
    void logTheRest() throws InterruptedException {
        executor.shutdown();
        if (!executor.awaitTermination(1, TimeUnit.MINUTES)) {
            log("threads still run");
        }
        for (Thread thread : threads) {
            thread.join(); // the executor has ended before its last thread tells what it died of
        }
        log("uncaught " + uncaught);
        if (isServerIgnored) {
            return;
        }
        for (int i = server.getRequestCount(); i > 0; i--) {
            RecordedRequest request = server.takeRequest();
            log("server: " + request.getMethod() + " " + request.getTarget() + " " + request.getHeaders() + " "
                    + request.getBody() + " on connection " + request.getConnectionIndex());
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        client.dispatcher().cancelAll();
        client.connectionPool().evictAll();
        executor.shutdown();
        Cache cache = client.cache();
        if (cache != null) {
            cache.delete(); // which leaves its folder
            Files.delete(cache.directory().toPath());
        }
    }
}
