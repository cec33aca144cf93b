# vmod_vsthrottle(3), the example of is_denied. Varnish itself adds Retry-After: 5 to the 429.
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
