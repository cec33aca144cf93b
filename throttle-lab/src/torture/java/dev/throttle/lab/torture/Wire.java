package dev.throttle.lab.torture;

/** What a call goes over. */
enum Wire {
    HTTP1("http"),
    HTTP1_TLS("https"),
    HTTP2_TLS("https");

    private final String scheme;

    Wire(String scheme) {
        this.scheme = scheme;
    }

    String scheme() {
        return scheme;
    }
}
