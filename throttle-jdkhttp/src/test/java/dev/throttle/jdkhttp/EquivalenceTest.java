package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.fixtures.EquivalenceRow;
import dev.throttle.fixtures.EquivalenceRows;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each row is a kind of request, made through the client as it is and through a throttling one, blocking and
 * asynchronously, where nothing is to be throttled: everything that shows of it is the same.
 */
class EquivalenceTest {

    @TempDir
    static Path folder;

    @ParameterizedTest
    @MethodSource("rows")
    void aThrottlingClientDoesWhatABareOneDoes(EquivalenceRow<EquivalenceScene> row) throws Exception {
        for (boolean isAsync : new boolean[] {false, true}) {
            assertThat(play(row, true, isAsync))
                    .as("%s, asynchronous %s", row, isAsync)
                    .isEqualTo(play(row, false, isAsync));
        }
    }

    private static List<String> play(EquivalenceRow<EquivalenceScene> row, boolean isThrottled, boolean isAsync)
            throws Exception {
        try (EquivalenceScene scene = new EquivalenceScene(isThrottled, isAsync)) {
            row.play().play(scene);
            scene.logRequests();
            return scene.log();
        }
    }

    static Stream<EquivalenceRow<EquivalenceScene>> rows() {
        List<EquivalenceRow<EquivalenceScene>> rows = EquivalenceRows.common();
        EquivalenceBodies.addHandlers(rows, folder);
        EquivalenceBodies.addPublishers(rows);
        EquivalenceRequests.addRedirects(rows);
        EquivalenceEndings.addFaults(rows);
        EquivalenceEndings.addFutures(rows);
        EquivalenceHttp2.addHttp2(rows);
        return rows.stream();
    }
}
