package dev.throttle.lab;

/** A switch. A type of its own, as picocli takes a boolean option for one without a value. */
enum OnOff {
    ON,
    OFF;

    boolean isOn() {
        return this == ON;
    }
}
