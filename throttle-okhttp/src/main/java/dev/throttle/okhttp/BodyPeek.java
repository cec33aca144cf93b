package dev.throttle.okhttp;

import dev.throttle.signal.BodyClassifier;
import dev.throttle.signal.Signal;
import java.io.IOException;
import okhttp3.Response;
import okhttp3.ResponseBody;

/** Looks at the beginning of a body where the classifier asks for it, and leaves it in place. */
final class BodyPeek {

    private BodyPeek() {}

    static boolean isWanted(Config config, OkHttpHead head, Signal signal) {
        try {
            return config.bodyClassifier().needsBody(head, signal);
        } catch (RuntimeException e) {
            config.faults().report(e);
            return false;
        }
    }

    /** {@return what the response says with its body; what its head says if the body cannot be had or tells no more} */
    static Signal look(Config config, OkHttpHead head, Signal said, Response response) {
        try (ResponseBody start = response.peekBody(BodyClassifier.MAX_BYTES)) {
            Signal told = config.bodyClassifier().classify(head, said, start.string());
            return told == null ? said : told;
        } catch (IOException e) {
            return said; // the caller will meet it when reading the body
        } catch (RuntimeException e) {
            config.faults().report(e);
            return said;
        }
    }
}
