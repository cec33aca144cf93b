package dev.throttle.lab;

import dev.throttle.internal.DurationText;
import dev.throttle.signal.Classifier;
import dev.throttle.signal.HintReader;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Tells a person what a response says about the server's limits. */
final class Explanation {

    private Explanation() {}

    static String of(ResponseHead response, long receivedAtMillis) {
        RateHints hints = HintReader.standard().read(response, receivedAtMillis);
        Outcome outcome = Classifier.standard().classify(response, hints);
        StringBuilder text = new StringBuilder();
        text.append("Status ")
                .append(response.status())
                .append(": ")
                .append(meaning(outcome))
                .append('\n');
        Duration retryAfter = hints.retryAfter();
        if (retryAfter != null) {
            text.append("It asks to stay away for ")
                    .append(DurationText.spoken(retryAfter))
                    .append(outcome.isRefusal() ? ": no request of this key is sent before that.\n" : ".\n");
        } else if (outcome.isRefusal()) {
            Duration floor = hints.floor();
            text.append("It does not say when to come back: ")
                    .append(
                            floor == null
                                    ? "the strategy decides how long to wait.\n"
                                    : "this kind of server is given at least " + DurationText.spoken(floor) + ".\n");
        }
        for (Quota quota : hints.quotas()) {
            text.append(describe(quota)).append('\n');
        }
        if (hints.quotas().isEmpty()) {
            text.append("It says nothing about a quota.\n");
        }
        return text.toString();
    }

    private static String meaning(Outcome outcome) {
        return switch (outcome) {
            case RATE_LIMITED -> "refused, a quota is used up. This key has to slow down.";
            case BUSY -> "refused, the server is overloaded or out of order. The host needs relief.";
            case DENIED -> "refused, and waiting cannot mend it. It is handed to the caller at once.";
            case UNREACHABLE -> "unreachable, a gateway got no answer of its server. Calls wait for one that is away.";
            default -> "answered. The server did not refuse the request because of a limit.";
        };
    }

    private static String pace(double perSecond) {
        return perSecond < 1
                ? "one every " + DurationText.spoken(Duration.ofMillis(Math.round(1000 / perSecond)))
                : Numbers.rounded(perSecond, 1).toPlainString() + " per second";
    }

    private static String describe(Quota quota) {
        List<String> parts = new ArrayList<>();
        Long limit = quota.limit();
        Duration window = quota.window();
        if (limit != null) {
            parts.add("grants " + limit + " " + quota.unit()
                    + (window == null ? "" : " per " + DurationText.spoken(window)));
        } else if (window != null) {
            parts.add("has a window of " + DurationText.spoken(window));
        }
        if (quota.remaining() != null) {
            parts.add(quota.remaining() + " left");
        }
        if (quota.reset() != null) {
            parts.add("more in " + DurationText.spoken(quota.reset()));
        }
        Double rate = quota.unitsPerSecond();
        if (rate != null && rate > 0) {
            parts.add("so " + pace(rate));
        }
        String name = quota.policy() == null ? "The quota" : "The quota '" + quota.policy() + "'";
        return name + ": " + String.join(", ", parts) + ".";
    }
}
