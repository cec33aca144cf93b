package dev.throttle.control.quota;

import static dev.throttle.control.quota.Moment.nanos;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.fixtures.Traffic;
import dev.throttle.signal.Cost;
import org.assertj.core.data.Offset;

/** Refusals that no count explains, at moments in seconds, without chance unless a test sets it. */
abstract class RefusalStory {

    static final Offset<Double> ALMOST = within(1e-8);

    final PacingSettings settings = new PacingSettings(0.1, 0.2, 120, 120, nanos(5), 0);
    long chance;
    RefusalLaw law = newLaw();
    double rate = 1;
    int wire;
    /** There is always more to send. */
    int waiting = 1;

    int sent;

    RefusalStory() {
        law.told(); // the start is a story of its own
    }

    RefusalLaw newLaw() {
        return new RefusalLaw(new Surroundings(settings, () -> chance), Tuning.USUAL, null);
    }

    /** {@return the law of an overloaded server} */
    RefusalLaw newLaw(RefusalLaw limits) {
        return new RefusalLaw(new Surroundings(settings, () -> chance), Tuning.USUAL, limits);
    }

    void send(double at) {
        sent++;
        law.admitted(1, 1, nanos(at), nanos(at));
    }

    Traffic load(double sentAt) {
        return new Traffic(Cost.ONE, nanos(sentAt), wire, sent, waiting, rate);
    }

    void accept(double sentAt, double at) {
        law.onSuccess(load(sentAt), nanos(at));
    }

    void refuse(double sentAt, double at) {
        law.onRefusal(load(sentAt), nanos(at));
    }

    double due(double at, int ahead, int wire) {
        return Moment.seconds(law.dueNanos(ahead, wire, nanos(at)));
    }

    double due(double at) {
        return due(at, 0, 0);
    }

    /** A refusal at a time, and a probe one second later that is accepted. */
    void brief(double at) {
        send(at);
        refuse(at, at);
        send(at + 1);
        accept(at + 1, at + 1);
    }

    /** Refusals from one time to another: two probes are refused, and the third is accepted. */
    void lasting(double from, double to) {
        send(from);
        refuse(from, from);
        for (double probe = 1; probe <= 2; probe++) {
            double at = from + probe * (to - from) / 3;
            send(at);
            refuse(at, at);
        }
        send(to);
        accept(to, to);
    }
}
