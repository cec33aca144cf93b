package dev.throttle.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.lab.server.Answer;
import dev.throttle.lab.server.HeaderStyle;
import dev.throttle.lab.server.Load;
import dev.throttle.lab.server.ServerKind;
import dev.throttle.lab.server.ServerSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FiguresTest {

    private static final long SECOND = 1_000_000_000L;
    private static final Answer OK = new Answer(200, 1, 1);
    private static final Answer NO = new Answer(429, 0, 1);

    private static final ServerSpec SERVER =
            new ServerSpec(ServerKind.DECREASE_ONLY, 10, Duration.ofHours(1), null, HeaderStyle.NONE, false);

    private static Scenario scenario(int processes, int threads, Change... changes) {
        return new Scenario(
                SERVER, processes, threads, Duration.ofSeconds(300), Duration.ofSeconds(1), List.of(changes), null);
    }

    private static void answer(ThreadRecord thread, int times, Answer answer) {
        for (int i = 0; i < times; i++) {
            thread.answered(SECOND, answer, Load.NONE);
        }
    }

    @Test
    void everyFigureComesFromItsDefinition() {
        RunRecord run = new RunRecord(scenario(2, 2), false);
        List<ThreadRecord> first = run.join(0, 0).threads();
        List<ThreadRecord> second = run.join(0, 0).threads();
        answer(first.get(0), 3, OK);
        answer(first.get(0), 1, NO);
        answer(first.get(1), 3, OK);
        answer(second.get(0), 1, OK);
        answer(second.get(0), 1, NO);
        // the fourth thread sends nothing
        first.get(0).waited(0, 2 * SECOND);
        first.get(1).waited(0, 7 * SECOND);
        for (int wait = 1; wait <= 100; wait++) {
            run.callEnded(wait * SECOND);
        }
        run.ended(100 * SECOND, true, SERVER.start(), -1);

        Figures figures = Figures.of(run);

        assertThat(figures.requests()).isEqualTo(9);
        assertThat(figures.accepted()).isEqualTo(7);
        assertThat(figures.retryRate()).isCloseTo((0.25 + 0 + 0.5) / 3, within(1e-12));
        assertThat(figures.maxSleepSeconds()).isEqualTo(7);
        assertThat(figures.requestCountStdev())
                .isCloseTo(Math.sqrt((1.75 * 1.75 + 0.75 * 0.75 + 0.25 * 0.25 + 2.25 * 2.25) / 3), within(1e-12));
        assertThat(figures.jain()).isCloseTo(49.0 / (2 * (36 + 1)), within(1e-12));
        assertThat(figures.utilisation()).isCloseTo(0.7, within(1e-12));
        assertThat(figures.elapsedSeconds()).isEqualTo(100);
        assertThat(figures.p50WaitSeconds()).isEqualTo(50);
        assertThat(figures.p99WaitSeconds()).isEqualTo(99);
        assertThat(figures.settleSeconds()).isNull();
    }

    @Test
    void settlingTakesUntilTheSharesAreEven() {
        RunRecord run = new RunRecord(scenario(1, 1, new Change(Duration.ofSeconds(100), 1)), false);
        ThreadRecord old = run.join(0, 0).threads().get(0);
        ThreadRecord joined = run.join(1, 100 * SECOND).threads().get(0);
        for (int second = 0; second < 300; second++) {
            old.answered(second * SECOND, OK, Load.NONE);
            if (second >= 160) {
                joined.answered(second * SECOND, OK, Load.NONE);
            }
        }
        run.ended(300 * SECOND, false, SERVER.start(), -1);

        // a window of 60 s has a Jain index of 0.9 when the newcomer was there for 30 of them: (60+30)^2 / 2(60^2+30^2)
        assertThat(Figures.of(run).settleSeconds()).isEqualTo(30);
    }

    @Test
    void meansAreOverAllRunsAndAClearTimeNeedsAllOfThem() {
        Figures one = new Figures(1, 1, 0.5, 1, 1, 1, 1, 10.0, 1, 1, null, 0, 0, null, null, null, null, Map.of());
        Figures two = new Figures(3, 3, 0.1, 3, 3, 0, 0, 20.0, 3, 3, null, 0, 0, null, null, null, null, Map.of());
        Figures three =
                new Figures(2, 2, 0.3, 2, 2, 0.5, 0.5, null, 2, 2, null, 0, 0, null, null, null, null, Map.of());

        assertThat(Figures.mean(List.of(one, two)).elapsedSeconds()).isEqualTo(15);
        assertThat(Figures.mean(List.of(one, two)).retryRate()).isCloseTo(0.3, within(1e-12));
        assertThat(Figures.mean(List.of(one, two, three)).elapsedSeconds()).isNull();
    }
}
