package dev.throttle.jdkhttp;

import dev.throttle.client.KeyedCall;
import dev.throttle.signal.usage.BodyReport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the body of an attempt tells about its cost. The wrapped client tells who sent it only with the response, which
 * may come after the body: until then it is kept.
 */
final class HeardCost implements Consumer<BodyReport> {

    private final KeyedCall call;
    private @Nullable BodyReport kept;
    private boolean isSenderKnown;

    HeardCost(KeyedCall call) {
        this.call = call;
    }

    @Override
    public void accept(BodyReport report) {
        synchronized (this) {
            if (!isSenderKnown) {
                kept = report;
                return;
            }
        }
        call.report(report);
    }

    /** Every response of the attempt is booked on whoever sent it, as far as that will be known. */
    void senderIsKnown() {
        BodyReport report;
        synchronized (this) {
            isSenderKnown = true;
            report = kept;
            kept = null;
        }
        if (report != null) {
            call.report(report);
        }
    }
}
