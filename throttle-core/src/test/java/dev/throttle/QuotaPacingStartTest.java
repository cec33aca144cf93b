package dev.throttle;

import static dev.throttle.Timeline.remaining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** How {@code quota-pacing} begins, and that it is not felt while the quota is plentiful. */
class QuotaPacingStartTest {

    private static final Duration PATIENCE = Duration.ofMillis(1500);
    private static final int PLENTY = 1_000_000;

    private final Timeline line = new Timeline();
    private final Throttle throttle = line.throttle(
                    Strategies.quotaPacing().firstPatience(PATIENCE).build())
            .build();

    private List<CompletableFuture<Permit>> fiveAsk() {
        List<CompletableFuture<Permit>> asked = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            asked.add(line.ask(throttle, "c" + i));
        }
        assertThat(line.events).containsExactly("c0@0");
        return asked;
    }

    @Test
    void theFirstRequestGoesAloneUntilItsAnswer() {
        CompletableFuture<Permit> first = fiveAsk().get(0);
        line.advanceMillis(1200);
        assertThat(line.events).containsExactly("c0@0");
        first.join().complete(remaining(PLENTY));
        assertThat(line.events).containsExactly("c0@0", "c1@1200", "c2@1200", "c3@1200", "c4@1200");
    }

    @Test
    void theFirstRequestGoesAloneForNoLongerThanFirstPatience() {
        fiveAsk();
        line.time.advanceNanos(PATIENCE.toNanos() - 1);
        assertThat(line.events).containsExactly("c0@0");
        line.time.advanceNanos(1);
        assertThat(line.events).containsExactly("c0@0", "c1@1500", "c2@1500", "c3@1500", "c4@1500");
    }

    @Test
    void whileNoAnswerComesRequestsWithACostGoSevenAtATime() {
        CallOptions options = CallOptions.DEFAULT.estimate(Cost.of(Quota.TOKENS, 1000));
        for (int i = 0; i < 20; i++) {
            line.ask(Calls.of(throttle).newCall(options), "c" + i);
        }
        line.advanceMillis(1499);
        assertThat(line.events).hasSize(1);
        line.advanceMillis(1);
        assertThat(line.events).hasSize(7).last().isEqualTo("c6@1500");
        line.advanceMillis(1499);
        assertThat(line.events).hasSize(7);
        line.advanceMillis(1);
        assertThat(line.events).hasSize(14).last().isEqualTo("c13@3000");
        line.advanceMillis(1500);
        assertThat(line.events).hasSize(20).last().isEqualTo("c19@4500");
    }

    static Stream<Arguments> endsWithoutNews() {
        Consumer<Permit> givenBack = Permit::release;
        Consumer<Permit> ignored = permit -> permit.complete(Signal.IGNORED);
        Consumer<Permit> cancelled = permit -> permit.complete(Signal.CANCELLED);
        return Stream.of(
                Arguments.of("given back", givenBack),
                Arguments.of("ignored", ignored),
                Arguments.of("cancelled", cancelled));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("endsWithoutNews")
    void aFirstRequestThatBringsNoNewsLeavesItsTurnToTheNextWhoGoesAloneToo(String name, Consumer<Permit> end) {
        CompletableFuture<Permit> first = fiveAsk().get(0);
        line.advanceMillis(700);
        end.accept(first.join());
        assertThat(line.events).containsExactly("c0@0", "c1@700");
        line.time.advanceNanos(PATIENCE.toNanos() - 1);
        assertThat(line.events).containsExactly("c0@0", "c1@700");
        line.time.advanceNanos(1);
        assertThat(line.events).containsExactly("c0@0", "c1@700", "c2@2200", "c3@2200", "c4@2200");
    }

    @Test
    void aCallerThatGivesUpBehindTheFirstLosesOnlyItsOwnPlace() {
        List<CompletableFuture<Permit>> asked = fiveAsk();
        line.advanceMillis(10);
        asked.get(1).cancel(false);
        line.advanceMillis(10);
        asked.get(0).join().complete(remaining(PLENTY));
        assertThat(line.events).containsExactly("c0@0", "c1 cancelled@10", "c2@20", "c3@20", "c4@20");
    }

    @Test
    void nobodyWaitsWhileTheQuotaIsPlentiful() {
        for (int i = 0; i < 1_000; i++) {
            Permit permit = throttle.tryAcquire();
            assertThat(permit).as("request %s", i).isNotNull();
            line.advanceMillis(3);
            permit.complete(remaining(PLENTY - i));
            assertThat(throttle.snapshot().rateLimit()).isInfinite();
        }
    }
}
