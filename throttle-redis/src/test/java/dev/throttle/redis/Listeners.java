package dev.throttle.redis;

import dev.throttle.lease.fleet.FleetStore;

/** For stores without a fleet. */
final class Listeners {

    static final FleetStore.Listener NONE = new FleetStore.Listener() {
        @Override
        public String channel() {
            return "news";
        }

        @Override
        public void heard(String channel, String text) {}

        @Override
        public void connected() {}
    };

    private Listeners() {}
}
