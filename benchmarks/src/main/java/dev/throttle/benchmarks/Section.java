package dev.throttle.benchmarks;

import java.io.PrintStream;

/** A part of the measurements. */
enum Section {
    /** Admission and completion beside the floors and the peers. */
    ADMISSION {
        @Override
        void run(Scale scale, PrintStream out) throws Exception {
            JmhTables.admission(scale, out);
        }
    },
    /** Completing with hints, and reading headers. */
    SIGNALS {
        @Override
        void run(Scale scale, PrintStream out) throws Exception {
            JmhTables.signals(scale, out);
        }
    },
    /** A million callers in one queue, and virtual threads. */
    WAITERS {
        @Override
        void run(Scale scale, PrintStream out) throws Exception {
            FreshJvm.run(Waiters.class, scale, "-Xms4g", "-Xmx4g", "-XX:+UseParallelGC");
            FreshJvm.run(VirtualThreads.class, scale, "-Xms2g", "-Xmx2g");
        }
    },
    /** A million keys through a bounded set. */
    KEYS {
        @Override
        void run(Scale scale, PrintStream out) throws Exception {
            FreshJvm.run(Keys.class, scale, "-Xms1g", "-Xmx1g", "-XX:+UseParallelGC");
            JmhTables.keys(scale, out);
        }
    },
    /** What the adapters add, without network. */
    ADAPTERS {
        @Override
        void run(Scale scale, PrintStream out) throws Exception {
            JmhTables.adapters(scale, out);
        }
    },
    /** Real clients on loopback, bare and throttled. */
    ENDTOEND {
        @Override
        void run(Scale scale, PrintStream out) throws Exception {
            FreshJvm.run(EndToEnd.class, scale, "-Xms512m", "-Xmx512m", "-XX:+UseSerialGC");
            out.println();
            FreshJvm.run(WhereItGoes.class, scale, "-Xms512m", "-Xmx512m", "-XX:+UseSerialGC");
        }
    },
    /** Whether limits hold and are used, and how punctual releases are. */
    ACCURACY {
        @Override
        void run(Scale scale, PrintStream out) throws Exception {
            FreshJvm.run(Accuracy.class, scale, "-Xms512m", "-Xmx512m");
        }
    };

    abstract void run(Scale scale, PrintStream out) throws Exception;
}
