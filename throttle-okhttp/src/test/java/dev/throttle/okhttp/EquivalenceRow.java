package dev.throttle.okhttp;

/** A kind of request, whose name is that of its test. */
record EquivalenceRow(String name, Play play) {

    /** What happens in a row. */
    @FunctionalInterface
    interface Play {
        void play(EquivalenceScene scene) throws Exception;
    }

    @Override
    public String toString() {
        return name;
    }
}
