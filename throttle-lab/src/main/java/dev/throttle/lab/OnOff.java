package dev.throttle.lab;

import java.util.Locale;

/** A switch. A type of its own, as picocli takes a boolean option for one without a value. */
enum OnOff {
    ON,
    OFF;

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean isOn() {
        return this == ON;
    }
}
