package dev.throttle.okhttp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.EventListener;
import okhttp3.Handshake;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;

/** The events of calls, in order. */
final class EventLog extends EventListener {

    private final Consumer<String> log;
    private final List<String> events = new ArrayList<>();
    private int started;
    private int ended;
    private int acquired;

    EventLog(Consumer<String> log) {
        this.log = log;
    }

    private synchronized void add(String event) {
        events.add(event);
    }

    /** {@return whether each call that started has ended, and has let go of its connections} */
    synchronized boolean areOver() {
        return started <= ended && acquired <= 0;
    }

    synchronized void flush() {
        log.accept("events " + events);
        events.clear();
    }

    @Override
    public synchronized void callStart(Call call) {
        started++;
        add("callStart");
    }

    @Override
    public void dnsStart(Call call, String domainName) {
        add("dnsStart " + domainName);
    }

    @Override
    public void dnsEnd(Call call, String domainName, List<InetAddress> addresses) {
        add("dnsEnd " + addresses);
    }

    @Override
    public void connectStart(Call call, InetSocketAddress address, Proxy proxy) {
        add("connectStart");
    }

    @Override
    public void secureConnectStart(Call call) {
        add("secureConnectStart");
    }

    @Override
    public void secureConnectEnd(Call call, Handshake handshake) {
        add("secureConnectEnd");
    }

    @Override
    public void connectEnd(Call call, InetSocketAddress address, Proxy proxy, Protocol protocol) {
        add("connectEnd " + protocol);
    }

    @Override
    public void connectFailed(
            Call call, InetSocketAddress address, Proxy proxy, Protocol protocol, IOException failure) {
        add("connectFailed " + failure.getClass());
    }

    @Override
    public synchronized void connectionAcquired(Call call, Connection connection) {
        acquired++;
        add("connectionAcquired");
    }

    @Override
    public synchronized void connectionReleased(Call call, Connection connection) {
        acquired--;
        add("connectionReleased");
    }

    @Override
    public void requestHeadersStart(Call call) {
        add("requestHeadersStart");
    }

    @Override
    public void requestHeadersEnd(Call call, Request request) {
        add("requestHeadersEnd");
    }

    @Override
    public void requestBodyStart(Call call) {
        add("requestBodyStart");
    }

    @Override
    public void requestBodyEnd(Call call, long byteCount) {
        add("requestBodyEnd " + byteCount);
    }

    @Override
    public void requestFailed(Call call, IOException failure) {
        add("requestFailed " + failure.getClass());
    }

    @Override
    public void responseHeadersStart(Call call) {
        add("responseHeadersStart");
    }

    @Override
    public void responseHeadersEnd(Call call, Response response) {
        add("responseHeadersEnd " + response.code());
    }

    @Override
    public void responseBodyStart(Call call) {
        add("responseBodyStart");
    }

    @Override
    public void responseBodyEnd(Call call, long byteCount) {
        add("responseBodyEnd " + byteCount);
    }

    @Override
    public void responseFailed(Call call, IOException failure) {
        add("responseFailed " + failure.getClass());
    }

    @Override
    public synchronized void callEnd(Call call) {
        ended++;
        add("callEnd");
    }

    @Override
    public synchronized void callFailed(Call call, IOException failure) {
        ended++;
        boolean timedOut = failure instanceof SocketTimeoutException; // has a message of the socket's, or OkHttp's own
        add("callFailed " + failure.getClass() + (timedOut ? "" : " " + failure.getMessage()));
    }

    @Override
    public void canceled(Call call) {
        add("canceled");
    }

    @Override
    public void satisfactionFailure(Call call, Response response) {
        add("satisfactionFailure " + response.code());
    }

    @Override
    public void cacheHit(Call call, Response response) {
        add("cacheHit");
    }

    @Override
    public void cacheMiss(Call call) {
        add("cacheMiss");
    }

    @Override
    public void cacheConditionalHit(Call call, Response cached) {
        add("cacheConditionalHit");
    }
}
