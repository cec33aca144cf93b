package dev.throttle.lease.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The files that fleets of this JVM use. Two fleets of the same name share one: a system drops all locks that a process
 * has of a file as soon as the process closes it once. Thread-safe.
 */
final class StateFiles {

    private static final Map<Path, StateFile> OPEN = new HashMap<>();
    private static final ReentrantLock LOCK = new ReentrantLock();

    private StateFiles() {}

    /** {@return a file of a folder; to be closed here} */
    static StateFile open(FleetFolder folder, String name) throws IOException {
        Path path = folder.path().resolve(name);
        LOCK.lock();
        try {
            StateFile there = OPEN.get(path);
            if (there != null && there.isThere()) {
                there.use();
                return there;
            }
            StateFile opened = new StateFile(folder.open(name));
            OPEN.put(path, opened); // users of one that was replaced close it when they notice
            return opened;
        } finally {
            LOCK.unlock();
        }
    }

    /** Closes a file that this user does not need any more, unless others do. */
    static void close(FleetFolder folder, String name, StateFile file) throws IOException {
        LOCK.lock();
        try {
            if (file.leave()) {
                OPEN.remove(folder.path().resolve(name), file);
                file.close();
            }
        } finally {
            LOCK.unlock();
        }
    }
}
