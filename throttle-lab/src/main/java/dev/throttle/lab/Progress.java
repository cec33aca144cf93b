package dev.throttle.lab;

import java.io.Console;

/** A bar on stderr while somebody looks at a terminal, otherwise nothing. */
final class Progress {

    private static final int WIDTH = 40;

    private final long steps;
    private final boolean shown;
    private long done;

    Progress(long steps) {
        this.steps = steps;
        this.shown = steps > 1 && isTerminal();
    }

    /** From JDK 22 on there is a console without a terminal too. */
    private static boolean isTerminal() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    void step() {
        done++;
        if (shown) {
            int filled = (int) (done * WIDTH / steps);
            System.err.print("\r[" + "#".repeat(filled) + " ".repeat(WIDTH - filled) + "] " + done + "/" + steps);
        }
    }

    void end() {
        if (shown) {
            System.err.print("\r" + " ".repeat(WIDTH + 24) + "\r");
        }
    }
}
