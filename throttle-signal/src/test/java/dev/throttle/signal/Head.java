package dev.throttle.signal;

import java.util.ArrayList;
import java.util.List;

/** A response made by hand. */
public record Head(int status, String host, List<String> lines) implements ResponseHead {

    /** 14 November 2023, 22:13:20 GMT. */
    static final long NOW = 1_700_000_000_000L;

    /** A response with headers given as names and values by turns. */
    public static Head of(int status, String... lines) {
        return new Head(status, "", List.of(lines));
    }

    Head at(String otherHost) {
        return new Head(status, otherHost, lines);
    }

    Head with(String name, String value) {
        List<String> more = new ArrayList<>(lines);
        more.add(name);
        more.add(value);
        return new Head(status, host, more);
    }

    @Override
    public void forEachHeader(HeaderVisitor visitor) {
        for (int i = 0; i < lines.size(); i += 2) {
            visitor.visit(lines.get(i), lines.get(i + 1));
        }
    }

    RateHints hints() {
        return HintReader.standard().read(this, NOW);
    }

    Outcome outcome() {
        return Classifier.standard().classify(this, hints());
    }

    /** The only quota. */
    Quota quota() {
        List<Quota> quotas = hints().quotas();
        if (quotas.size() != 1) {
            throw new AssertionError(quotas);
        }
        return quotas.get(0);
    }
}
