package dev.throttle.logging;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/** What is logged about throttles of one name, from here on. Off, and as good as free, while no test listens. */
public final class CapturedLog implements AutoCloseable {

    private static volatile @Nullable CapturedLog active;

    /** Level and message of what was logged. */
    public final List<String> lines = new CopyOnWriteArrayList<>();

    private final Level level;
    private volatile Runnable whenLogged = () -> {};
    private final String mark;

    private CapturedLog(Level level, String mark) {
        this.level = level;
        this.mark = mark;
    }

    /**
     * {@return the log from now on; to be closed}
     *
     * @param level the lowest level
     * @param mark what every message has that is meant
     */
    public static CapturedLog from(Level level, String mark) {
        CapturedLog log = new CapturedLog(level, mark);
        active = log;
        return log;
    }

    /** Runs something where a message comes from, on its thread, from now on. */
    public void whenLogged(Runnable action) {
        whenLogged = action;
    }

    static boolean isEnabled(Level level) {
        CapturedLog log = active;
        return log != null && level.toInt() >= log.level.toInt();
    }

    static void add(Level level, String message) {
        CapturedLog log = active;
        if (log != null && message.contains(log.mark)) {
            log.lines.add(level + " " + message);
            log.whenLogged.run();
        }
    }

    @Override
    public void close() {
        active = null;
    }
}
