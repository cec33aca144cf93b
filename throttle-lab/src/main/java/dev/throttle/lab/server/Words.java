package dev.throttle.lab.server;

import java.util.Locale;

/** The names of constants on the command line. */
public final class Words {

    private Words() {}

    /** {@return the name of a constant in lower case, with hyphens} */
    public static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
