package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a server has said of its quotas, newest first. */
class QuotaBoardTest {

    private static final long SECOND = 1_000_000_000;
    /** Far from zero, as any clock may be. */
    private static final long NOW = -7 * SECOND;

    private final QuotaBoard board = new QuotaBoard();

    private static Quota quota(String policy, long remaining, @Nullable Duration reset) {
        return new Quota(policy, 10L, remaining, reset, null);
    }

    private static List<Quota> quotas(String prefix, int count) {
        List<Quota> quotas = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            quotas.add(quota(prefix + i, 5, null));
        }
        return quotas;
    }

    @Test
    void resetsAreCountedFromNow() {
        board.put(List.of(quota("a", 5, Duration.ofSeconds(9)), quota("b", 5, null)), NOW);
        assertThat(board.read(NOW + 2 * SECOND))
                .containsExactly(quota("a", 5, Duration.ofSeconds(7)), quota("b", 5, null));
        board.put(List.of(quota("b", 4, Duration.ofSeconds(3))), NOW + 4 * SECOND);
        assertThat(board.read(NOW + 5 * SECOND))
                .containsExactly(quota("b", 4, Duration.ofSeconds(2)), quota("a", 5, Duration.ofSeconds(4)));
        assertThat(board.read(NOW + 60 * SECOND))
                .containsExactly(quota("b", 4, Duration.ZERO), quota("a", 5, Duration.ZERO));
    }

    @Test
    void anAnswerWithoutQuotasChangesNothing() {
        board.put(quotas("a", 2), NOW);
        board.put(List.of(), NOW + 1);
        assertThat(board.read(NOW + 1)).isEqualTo(quotas("a", 2));
        assertThat(board.knowsSince(quota("a0", 5, null), NOW)).isFalse();
    }

    @Test
    void whatTheLastAnswerLeavesOutIsKeptWhileThereIsRoom() {
        board.put(quotas("a", 10), NOW);
        board.put(quotas("b", 9), NOW);
        List<Quota> expected = quotas("b", 9);
        expected.addAll(quotas("a", 7));
        assertThat(board.read(NOW)).isEqualTo(expected);
        board.put(quotas("b", 9), NOW); // of the same the others stay as they are
        assertThat(board.read(NOW)).isEqualTo(expected);
        board.put(quotas("a", 1), NOW);
        assertThat(board.read(NOW))
                .hasSize(16)
                .startsWith(quotas("a", 1).get(0))
                .containsOnlyOnceElementsOf(expected);
    }

    @Test
    void ofAnAnswerWithTooManyTheFirstCount() {
        board.put(quotas("a", 16), NOW);
        assertThat(board.read(NOW)).isEqualTo(quotas("a", 16));
        board.put(quotas("b", 17), NOW);
        assertThat(board.read(NOW)).isEqualTo(quotas("b", 16));
    }

    @Test
    void itIsKnownSinceWhenAQuotaWasToldLast() {
        board.put(List.of(quota("a", 5, null)), NOW);
        board.put(List.of(quota("b", 5, null)), NOW + 3);
        assertThat(board.knowsSince(quota("a", 1, null), NOW - 1)).isTrue();
        assertThat(board.knowsSince(quota("a", 1, null), NOW)).isFalse();
        assertThat(board.knowsSince(quota("b", 1, null), NOW + 2)).isTrue();
        assertThat(board.knowsSince(quota("b", 1, null), NOW + 3)).isFalse();
        assertThat(board.knowsSince(quota("c", 1, null), NOW - 100)).isFalse();
    }

    @Test
    void aQuotaIsUsedUpAnewWhenSomethingWasLeftOrItWasRenewed() {
        Quota empty = quota("a", 0, Duration.ofSeconds(2));
        assertThat(board.newlyExhausted(List.of(quota("a", 5, null), empty), NOW))
                .containsExactly(empty);
        board.put(List.of(empty, quota("b", 0, null)), NOW);
        assertThat(board.newlyExhausted(List.of(empty), NOW + 2 * SECOND - 1)).isEmpty();
        assertThat(board.newlyExhausted(List.of(empty), NOW + 2 * SECOND)).containsExactly(empty);
        assertThat(board.newlyExhausted(List.of(quota("b", 0, null)), NOW + 9 * SECOND))
                .isEmpty();
        board.put(List.of(quota("b", 1, null)), NOW);
        assertThat(board.newlyExhausted(List.of(quota("b", 0, null)), NOW)).hasSize(1);
    }
}
