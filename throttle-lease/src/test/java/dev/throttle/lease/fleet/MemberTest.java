package dev.throttle.lease.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.lease.fleet.Learned.Told;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MemberTest {

    private static final long SECOND = 1_000_000;
    private static final long NOW = 1_700_000_000 * SECOND;

    private final List<Signal> heard = new ArrayList<>();
    private final Member member = new Member("id");

    @BeforeEach
    void join() {
        member.add(new Presence(Throttle.builder().build(), (signal, age) -> heard.add(signal), 0));
    }

    private void observe(long now) {
        Told told = new Told(now - SECOND, new Quota(null, null, 5L, null, null));
        member.observe(new Learned(now + 60 * SECOND, Outcome.RATE_LIMITED, List.of(told)), now);
    }

    @Test
    void whatWasHeardIsNotHeardAgain() {
        observe(NOW);
        assertThat(heard).hasSize(2);
        observe(NOW);
        observe(NOW - SECOND / 2);
        assertThat(heard).hasSize(2);
        observe(NOW + 5 * SECOND);
        assertThat(heard).hasSize(4);
    }

    @Test
    void ofAStoreWhoseClockIsPutBackItHearsOn() {
        observe(NOW);
        observe(NOW - 3600 * SECOND);
        assertThat(heard).hasSize(4);
    }
}
