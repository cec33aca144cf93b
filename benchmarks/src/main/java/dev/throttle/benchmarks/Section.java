package dev.throttle.benchmarks;

import java.io.PrintStream;

/** A part of the measurements. */
enum Section {
    /** Admission and completion beside the floors and the peers. */
    ADMISSION(JmhTables::admission),
    /** Completing with hints, and reading headers. */
    SIGNALS(JmhTables::signals),
    /** A million callers in one queue, and virtual threads. */
    WAITERS((scale, out) -> {
        FreshJvm.run(Waiters.class, scale, "-Xms4g", "-Xmx4g", "-XX:+UseParallelGC");
        FreshJvm.run(VirtualThreads.class, scale, "-Xms2g", "-Xmx2g");
    }),
    /** A million keys through a bounded set. */
    KEYS((scale, out) -> {
        FreshJvm.run(Keys.class, scale, "-Xms1g", "-Xmx1g", "-XX:+UseParallelGC");
        JmhTables.keys(scale, out);
    }),
    /** What the adapters add, without network. */
    ADAPTERS(JmhTables::adapters),
    /** Real clients on loopback, bare and throttled. */
    ENDTOEND((scale, out) -> {
        FreshJvm.run(EndToEnd.class, scale, "-Xms512m", "-Xmx512m", "-XX:+UseSerialGC");
        out.println();
        FreshJvm.run(WhereItGoes.class, scale, "-Xms512m", "-Xmx512m", "-XX:+UseSerialGC");
    }),
    /** Whether limits hold and are used, and how punctual releases are. */
    ACCURACY((scale, out) -> FreshJvm.run(Accuracy.class, scale, "-Xms512m", "-Xmx512m"));

    private interface Measurement {
        void run(Scale scale, PrintStream out) throws Exception;
    }

    private final Measurement measurement;

    Section(Measurement measurement) {
        this.measurement = measurement;
    }

    void run(Scale scale, PrintStream out) throws Exception {
        measurement.run(scale, out);
    }
}
