package mockwebserver3;

/** See {@link MockWebServer}. */
public abstract class Dispatcher {

    public abstract MockResponse dispatch(RecordedRequest request) throws InterruptedException;
}
