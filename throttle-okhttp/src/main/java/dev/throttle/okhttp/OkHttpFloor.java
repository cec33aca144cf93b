package dev.throttle.okhttp;

import okhttp3.Call;
import okhttp3.EventListener;

/** Refuses an OkHttp that is too old, where it is installed and not in the middle of a call. */
final class OkHttpFloor {

    private OkHttpFloor() {}

    static void check() {
        try {
            Call.class.getMethod("addEventListener", EventListener.class);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(
                    "Throttle needs OkHttp 5.4.0 or newer, as it wakes waiting calls through Call.addEventListener, but"
                            + " found " + version(),
                    e);
        }
    }

    /** By reflection, since the compiler would copy the constant. */
    private static String version() {
        try {
            return "OkHttp "
                    + Class.forName("okhttp3.OkHttp").getField("VERSION").get(null);
        } catch (ReflectiveOperationException e) {
            return "an OkHttp without a version";
        }
    }
}
