# The same with a header, the example of remaining. A 429 does not have it: it does not pass vcl_deliver.
vcl 4.0;

import vsthrottle;

backend default {
    .host = "127.0.0.1";
    .port = "${application}";
}

sub vcl_recv {
    if (vsthrottle.is_denied(client.identity, 100, 10s)) {
        return (synth(429, "Too Many Requests"));
    }
    return (pass);
}

sub vcl_deliver {
    set resp.http.X-RateLimit-Remaining = vsthrottle.remaining(client.identity, 100, 10s);
}
