package dev.throttle.okhttp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.fixtures.EquivalenceRow;
import dev.throttle.fixtures.EquivalenceRows;
import dev.throttle.okhttp.EquivalenceScene.Door;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each row is a kind of request, made through the client as it is, with the interceptor, and by the call factory, where
 * nothing is to be throttled: everything that shows of it is the same.
 */
@Tag(LoopbackTest.NEEDS_OKHTTP5)
class EquivalenceTest {

    @ParameterizedTest
    @MethodSource("rows")
    void aThrottledClientDoesWhatABareOneDoes(EquivalenceRow<EquivalenceScene> row) throws Exception {
        for (boolean isAsync : new boolean[] {false, true}) {
            List<String> bare = play(row, Door.BARE, isAsync);
            for (Door door : new Door[] {Door.INTERCEPTOR, Door.FACTORY}) {
                assertThat(play(row, door, isAsync))
                        .as("%s, %s, asynchronous %s", row, door, isAsync)
                        .isEqualTo(bare);
            }
        }
    }

    private static List<String> play(EquivalenceRow<EquivalenceScene> row, Door door, boolean isAsync)
            throws Exception {
        try (EquivalenceScene scene = new EquivalenceScene(door, isAsync)) {
            row.play().play(scene);
            scene.logTheRest();
            return scene.log();
        }
    }

    static Stream<EquivalenceRow<EquivalenceScene>> rows() {
        List<EquivalenceRow<EquivalenceScene>> rows = EquivalenceRows.common();
        EquivalenceRequests.addStatuses(rows);
        EquivalenceBodies.addBodies(rows);
        EquivalenceRequests.addRedirects(rows);
        EquivalenceFaults.addFaults(rows);
        EquivalenceFaults.addCancellations(rows);
        EquivalenceNeighbours.addNeighbours(rows);
        return rows.stream();
    }
}
