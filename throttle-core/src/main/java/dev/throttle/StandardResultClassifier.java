package dev.throttle;

import dev.throttle.client.FailureKind;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.util.function.Function;

/** Reads whatever has a status and headers, without knowing its library. */
final class StandardResultClassifier implements ResultClassifier<Object> {

    private final Function<ResponseHead, Signal> reader;

    StandardResultClassifier(Function<ResponseHead, Signal> reader) {
        this.reader = reader;
    }

    @Override
    public Signal onResult(Object result) {
        ResponseHead head = KnownResponse.headOf(result);
        return head == null ? Signal.SUCCESS : reader.apply(head);
    }

    @Override
    public Signal onFailure(Throwable failure) {
        ResponseHead head = KnownResponse.headOf(failure);
        if (head != null) {
            return reader.apply(head);
        }
        return FailureKind.signalOf(failure);
    }
}
