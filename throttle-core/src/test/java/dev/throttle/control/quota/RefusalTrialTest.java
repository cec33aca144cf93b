package dev.throttle.control.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A pace that does not help is lifted on trial: one request of ten is refused, at whatever pace. */
class RefusalTrialTest extends RefusalStory {

    private double now;
    private double before;
    private int events;

    private void tenOf() {
        for (int i = 0; i < 9; i++) {
            now = Math.max(now + 0.1, due(now));
            send(now);
            accept(now, now);
        }
        now = Math.max(now + 0.1, due(now));
        send(now);
        refuse(now, now);
    }

    @BeforeEach
    void untilThePaceIsLifted() {
        tenOf();
        while (law.explain() == null || !law.explain().contains("at random")) {
            tenOf();
            events++;
            now = due(now);
            send(now);
            before = law.interval();
            accept(now, now);
            assertThat(now).isLessThan(10_000);
        }
    }

    private void accepted(int count) {
        for (int i = 0; i < count; i++) {
            now += 0.01;
            send(now);
            accept(now, now);
        }
    }

    private int refusedUntilOneWaits() {
        int count = 0;
        while (due(now) <= now + 1e-8) {
            send(now);
            refuse(now, now);
            count++;
        }
        return count;
    }

    @Test
    void nothingWaitsAndItSaysWhy() {
        assertThat(law.interval()).isZero();
        assertThat(law.explain())
                .isEqualTo(
                        "About 9 of 100 requests are refused at random, and a pace does not help. So there is none.");
        assertThat(law.isIdle()).as("each answer counts").isFalse();
        assertThat(due(now)).isEqualTo(now, ALMOST);
        send(now);
        refuse(now, now);
        assertThat(due(now)).as("no event").isEqualTo(now, ALMOST);
    }

    @Test
    void whereNoLimitIsKnownItTakesMoreEvents() {
        int whereOneIsKnown = events;
        events = 0;
        law = newLaw();
        untilThePaceIsLifted();
        assertThat(events).isGreaterThan(2 * whereOneIsKnown);
    }

    @Test
    void threeRefusalsAtOnceBringThePaceBack() {
        assertThat(refusedUntilOneWaits()).isEqualTo(3);
        assertThat(law.interval()).isEqualTo(before);
        now = due(now);
        send(now);
        accept(now, now);
        assertThat(law.interval()).as("it was not the pace that was refused").isEqualTo(before);
    }

    @Test
    void afterALongTimeAWindowMayBeUsedUp() {
        accepted(1000);
        assertThat(refusedUntilOneWaits()).isEqualTo(11);
        assertThat(law.interval()).isZero();
        assertThat(law.explain()).contains("one request at a time asks again");
    }

    @Test
    void afterALongTimeALimitSetsThePaceThatItGrants() {
        accepted(1000);
        double from = now;
        int count = 0;
        while (law.interval() == 0) {
            accepted(1);
            send(now);
            refuse(now, now);
            count++;
        }
        assertThat(law.interval()).isEqualTo((now - from) / count, within(1e-6));
    }
}
