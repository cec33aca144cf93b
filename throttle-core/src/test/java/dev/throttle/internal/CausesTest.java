package dev.throttle.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Causes of exceptions: the nearest first, with an end even where they form a circle. */
class CausesTest {

    private static Exception nested(int depth) {
        Exception thrown = new Exception("1");
        for (int i = 2; i <= depth; i++) {
            thrown = new Exception(String.valueOf(i), thrown);
        }
        return thrown;
    }

    @Test
    void chainHasTheOutermostFirst() {
        IOException inner = new IOException();
        IllegalStateException outer = new IllegalStateException(inner);

        assertThat(Causes.chain(outer)).containsExactly(outer, inner);
        assertThat(Causes.chain(inner)).containsExactly(inner);
    }

    @Test
    void chainHasEachExceptionOfACircleOnce() {
        Exception one = new Exception("one");
        Exception two = new Exception("two", one);
        one.initCause(two);

        assertThat(Causes.chain(two)).containsExactly(two, one);
        assertThat(Causes.<String>first(two, thrown -> null)).isNull();
    }

    @Test
    void chainEndsAfterTwenty() {
        assertThat(Causes.chain(nested(20))).hasSize(20);
        assertThat(Causes.chain(nested(21))).hasSize(20);
    }

    @Test
    void firstTakesTheNearestThatCanBeJudged() {
        Exception thrown = nested(4);

        assertThat(Causes.<String>first(thrown, cause -> "31".contains(cause.getMessage()) ? cause.getMessage() : null))
                .isEqualTo("3");
        assertThat(Causes.<Throwable>first(thrown, cause -> cause)).isSameAs(thrown);
    }

    @Test
    void unwrapTakesAwayOneCompletionException() {
        IOException cause = new IOException();
        CompletionException bare = new CompletionException("without a cause", null);

        assertThat(Causes.unwrap(new CompletionException(cause))).isSameAs(cause);
        assertThat(Causes.unwrap(cause)).isSameAs(cause);
        assertThat(Causes.unwrap(bare)).isSameAs(bare);
    }
}
