package dev.throttle.lab.torture;

/** How a call is made. */
enum Door {
    OKHTTP_EXECUTE(true, false),
    OKHTTP_ENQUEUE(true, true),
    FACTORY_EXECUTE(true, false),
    FACTORY_ENQUEUE(true, true),
    JDK_SEND(false, false),
    JDK_SEND_ASYNC(false, true);

    private final boolean isOkHttp;
    private final boolean isAsync;

    Door(boolean isOkHttp, boolean isAsync) {
        this.isOkHttp = isOkHttp;
        this.isAsync = isAsync;
    }

    boolean isOkHttp() {
        return isOkHttp;
    }

    boolean isAsync() {
        return isAsync;
    }

    boolean isFactory() {
        return this == FACTORY_EXECUTE || this == FACTORY_ENQUEUE;
    }
}
