package dev.throttle.lab.torture;

import dev.throttle.ThrottleRegistry;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import dev.throttle.okhttp.ThrottlingCallFactory;
import dev.throttle.okhttp.ThrottlingInterceptor;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okhttp3.tls.HandshakeCertificates;
import org.jspecify.annotations.Nullable;

/** One set of clients: OkHttp's with an interceptor, a call factory of its own dispatcher, and the JDK's. */
final class Clients {

    private static final int PER_HOST = 24;
    /** With OkHttp's own five, most calls over TLS shake hands anew, which is most of what a run costs. */
    private static final int IDLE_CONNECTIONS = 64;
    /** So long that even a busy machine does not come near. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final OkHttpClient okHttp;
    private final OkHttpClient underFactory;
    private final @Nullable ThrottlingCallFactory factory;
    private final ExecutorService jdkThreads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "torture-client");
        thread.setDaemon(true);
        return thread;
    });
    private @Nullable HttpClient jdk;
    /** Held, because OkHttp's pool does not: what is known of a call that has left a connection in use. */
    private final ConcurrentLinkedQueue<OkHttpCaller> failed = new ConcurrentLinkedQueue<>();

    private volatile boolean isRetired;
    private volatile boolean mayNotEnd;

    /** With throttles, or, without a registry, bare. */
    Clients(@Nullable ThrottleRegistry throttles, HandshakeCertificates trust) {
        OkHttpClient plain = okHttp(trust);
        underFactory = okHttp(trust);
        HttpClient bare = HttpClient.newBuilder()
                .sslContext(trust.sslContext())
                .followRedirects(HttpClient.Redirect.NORMAL)
                .connectTimeout(PATIENCE)
                .executor(jdkThreads)
                .build();
        if (throttles == null) {
            okHttp = plain;
            factory = null;
            jdk = bare;
        } else {
            ThrottlingInterceptor throttling = ThrottlingInterceptor.builder(throttles)
                    .keyResolver(request -> key(request.url().encodedPath()))
                    .build();
            okHttp = plain.newBuilder()
                    .addInterceptor(throttling)
                    .addNetworkInterceptor(throttling.observer())
                    .build();
            factory = throttling.callFactory(underFactory);
            jdk = ThrottlingHttpClient.newBuilder(bare)
                    .throttles(throttles)
                    .keyResolver(request -> key(request.uri().getRawPath()))
                    .drainLimits(32_768, Duration.ofMillis(30))
                    .build();
        }
    }

    private static OkHttpClient okHttp(HandshakeCertificates trust) {
        Dispatcher dispatcher = new Dispatcher();
        dispatcher.setMaxRequestsPerHost(PER_HOST);
        return new OkHttpClient.Builder()
                .dispatcher(dispatcher)
                .connectionPool(new ConnectionPool(IDLE_CONNECTIONS, 5, TimeUnit.MINUTES))
                .sslSocketFactory(trust.sslSocketFactory(), trust.trustManager())
                .readTimeout(PATIENCE)
                .connectTimeout(PATIENCE)
                .build();
    }

    private static String key(String path) {
        return path.substring(1, path.indexOf('/', 1));
    }

    Caller caller(CallPlan plan, String url) {
        if (!plan.door().isOkHttp()) {
            return new JdkCaller(java.util.Objects.requireNonNull(jdk), plan, url);
        }
        Call.Factory bare = underFactory;
        Call.Factory parking = factory == null ? bare : factory;
        return new OkHttpCaller(plan.door().isFactory() ? parking : okHttp, plan, url);
    }

    void cancelAll(boolean ofFactory) {
        if (ofFactory && factory != null) {
            factory.cancelAll();
        } else {
            okHttp.dispatcher().cancelAll();
            underFactory.dispatcher().cancelAll();
        }
    }

    /** {@return whether no more calls are made with them} */
    boolean isRetired() {
        return isRetired;
    }

    /** A call has ended. */
    void ended(Caller caller, Ending ending) {
        if (caller.mayKeepItsClient()) {
            mayNotEnd = true;
        }
        if (ending.thrown() != null && caller instanceof OkHttpCaller okHttpCaller) {
            failed.add(okHttpCaller);
        }
    }

    /** Shuts them down while calls are under way. */
    void retire(Dice dice) {
        isRetired = true;
        if (factory != null && dice.perMille(500)) {
            factory.close();
        }
        if (dice.perMille(500)) {
            shutDown(okHttp.dispatcher());
            shutDown(underFactory.dispatcher());
        }
        if (jdk instanceof ThrottlingHttpClient throttling) {
            if (dice.perMille(500)) {
                throttling.shutdown();
            } else {
                throttling.shutdownNow();
            }
        }
    }

    private static void shutDown(Dispatcher dispatcher) {
        dispatcher.executorService().shutdown();
    }

    /** {@return what is left of calls that have all ended; null if nothing} */
    @Nullable String left() {
        for (OkHttpClient client : new OkHttpClient[] {okHttp, underFactory}) {
            Dispatcher dispatcher = client.dispatcher();
            HeldConnections held = new HeldConnections(client.connectionPool());
            int busy = held.count();
            if (dispatcher.runningCallsCount() + dispatcher.queuedCallsCount() + busy > 0) {
                return "OkHttp: running " + dispatcher.runningCallsCount() + ", queued " + dispatcher.queuedCallsCount()
                        + ", connections in use " + busy + held;
            }
        }
        return factory == null || factory.parkedCallsCount() == 0 ? null : factory.toString();
    }

    /** Ends them; {@return whether the JDK's client has ended in time}. */
    boolean end(Duration patience, Tally tally) throws InterruptedException {
        isRetired = true;
        for (OkHttpClient client : new OkHttpClient[] {okHttp, underFactory}) {
            shutDown(client.dispatcher());
            tally.lostByOkHttp(new HeldConnections(client.connectionPool()).closeLost());
            client.connectionPool().evictAll();
        }
        boolean ended = true;
        if (jdk instanceof ThrottlingHttpClient throttling) {
            throttling.shutdown();
            ended = throttling.awaitTermination(patience);
            if (!ended && mayNotEnd) {
                throttling.shutdownNow();
                ended = throttling.awaitTermination(patience);
                count(ended, tally);
            }
        } else if (jdk instanceof AutoCloseable bare) { // from Java 21 on
            Thread closing = close(bare);
            closing.join(patience.toMillis());
            if (closing.isAlive() && mayNotEnd) {
                closing.interrupt(); // which makes it a shutdownNow
                closing.join(patience.toMillis());
                count(!closing.isAlive(), tally);
            }
            ended = !closing.isAlive();
        }
        jdk = null; // before Java 21 it ends when it is unreachable
        return ended;
    }

    /** Counts a client as lost by the JDK if it ends now; one that does not end even now was lost by the library. */
    private static void count(boolean hasEndedNow, Tally tally) {
        if (hasEndedNow) {
            tally.clientLostByJdk();
        }
    }

    private static Thread close(AutoCloseable client) {
        Thread closing = new Thread(() -> {
            try {
                client.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        closing.setDaemon(true);
        closing.start();
        return closing;
    }

    /** Ends the threads that the JDK's client ran on, when it has ended. */
    boolean endThreads(Duration patience) throws InterruptedException {
        jdkThreads.shutdown();
        return jdkThreads.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS);
    }
}
