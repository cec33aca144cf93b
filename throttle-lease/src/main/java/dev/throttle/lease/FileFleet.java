package dev.throttle.lease;

import dev.throttle.internal.CallbackPool;
import dev.throttle.internal.Preconditions;
import dev.throttle.lease.file.FileStore;
import dev.throttle.lease.fleet.FleetTerms;
import dev.throttle.lease.fleet.SharedFleet;
import dev.throttle.time.TimeSource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Makes fleets that share through a folder: processes of one machine, and programs that are run again and again.
 *
 * <pre>{@code
 * Fleet fleet = FileFleet.open("billing");
 * }</pre>
 *
 * <p>All processes must run as the same user. What was learned is kept for up to an hour, or until the server's quota
 * is reset. The folder must be on a local disk.
 */
public final class FileFleet {

    private FileFleet() {}

    /**
     * {@return a fleet in the user's own folder, with default settings}
     *
     * @param name the name of the fleet, the same in all processes
     * @throws IllegalStateException if the folder is a symbolic link or belongs to another user
     */
    public static Fleet open(String name) {
        return builder(name).build();
    }

    /**
     * {@return a builder of a fleet}
     *
     * @param name the name of the fleet, the same in all processes
     */
    public static Builder builder(String name) {
        return new Builder(name);
    }

    /** Collects the settings of a fleet. Not thread-safe. */
    public static final class Builder {

        private final String name;
        private @Nullable Path folder;
        private Duration startTimeout = Duration.ofSeconds(1);
        private TimeSource time = TimeSource.system();
        private Executor executor = CallbackPool.shared();

        private Builder(String name) {
            this.name = FleetTerms.name(name);
        }

        /**
         * Sets the folder in which fleets have their folders. It is made if there is none. The default is
         * {@code throttle} in {@code $XDG_STATE_HOME}, {@code ~/.local/state}, {@code ~/Library/Application Support} or
         * {@code %LOCALAPPDATA%}. It should be on a local disk.
         *
         * @param value the folder
         * @return this builder
         */
        public Builder folder(Path value) {
            this.folder = Preconditions.required("folder", value);
            return this;
        }

        /**
         * Sets how long {@link #build} waits for what the fleet knows at most, so that the first request already uses
         * it. The default is one second. If it takes longer, the process starts alone and joins when it can.
         *
         * @param value zero or more
         * @return this builder
         */
        public Builder startTimeout(Duration value) {
            this.startTimeout = Preconditions.notNegative("startTimeout", value);
            return this;
        }

        /**
         * Sets the clock and the timer, which must be those of the throttles. The default is those of the JVM. The
         * monotonic clock must be that of the machine, the same in all processes.
         *
         * @param value the time source
         * @return this builder
         */
        public Builder time(TimeSource value) {
            this.time = Preconditions.required("time", value);
            return this;
        }

        /**
         * Sets the executor of the fleet's background work, which reads and writes files. The default is a shared pool
         * of daemon threads. The executor must not run tasks on the calling thread.
         *
         * @param value the executor
         * @return this builder
         */
        public Builder executor(Executor value) {
            this.executor = Preconditions.required("executor", value);
            return this;
        }

        /**
         * {@return the fleet} If the folder cannot be read or written, it logs a warning, and starts without.
         *
         * @throws IllegalStateException if the folder is a symbolic link or belongs to another user
         */
        public Fleet build() {
            Path parent = folder == null ? FileStore.parentOfUser() : folder;
            FleetTerms terms = new FleetTerms(name, startTimeout, false, time, executor);
            return SharedFleet.open(terms, listener -> {
                FileStore store = new FileStore(name, parent, time, executor, listener);
                store.refusal().ifPresent(why -> {
                    throw new IllegalStateException("fleet " + name + ": " + why);
                });
                return store;
            });
        }
    }
}
