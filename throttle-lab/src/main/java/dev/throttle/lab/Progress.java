package dev.throttle.lab;

import java.io.IOException;
import java.nio.file.Path;

/** A progress bar on stderr if that is a terminal, otherwise nothing. */
final class Progress {

    private static final int WIDTH = 40;

    private final long steps;
    private final boolean shown;
    private long done;

    Progress(long steps) {
        this.steps = steps;
        this.shown = steps > 1 && isTerminal();
    }

    /** Java can only tell whether stdin and stdout both are; where there is no /proc there is no bar. */
    private static boolean isTerminal() {
        try {
            String stderr = Path.of("/proc/self/fd/2").toRealPath().toString();
            return stderr.startsWith("/dev/pts/") || stderr.startsWith("/dev/tty");
        } catch (IOException e) {
            return false;
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
