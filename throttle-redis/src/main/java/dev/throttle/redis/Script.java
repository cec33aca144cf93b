package dev.throttle.redis;

import dev.throttle.lease.fleet.FleetKeys;

/**
 * A script that runs in Redis as one step, with Redis's own clock.
 *
 * @param text the text
 * @param digest what Redis calls it by once it knows it
 */
record Script(String text, String digest) {

    static Script of(String text) {
        return new Script(text, FleetKeys.hex("SHA-1", text));
    }
}
