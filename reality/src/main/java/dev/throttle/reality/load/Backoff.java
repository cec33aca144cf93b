package dev.throttle.reality.load;

import java.net.URI;

/** Goes at once, and backs off with full jitter. */
final class Backoff extends Peer {

    Backoff(URI uri, Wire wire) {
        super(uri, wire);
    }

    @Override
    void admit() {}
}
