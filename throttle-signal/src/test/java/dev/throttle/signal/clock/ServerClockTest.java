package dev.throttle.signal.clock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.signal.Head;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerClockTest {

    /** A whole second. */
    private static final long NOW = 1_700_000_000_000L;

    private final ServerClock clock = new ServerClock();

    private static Head head(String date) {
        return Head.of(200, "Date", date);
    }

    private static Head ofCache(String date) {
        return Head.of(200, "Date", date, "Age", "7200");
    }

    /** Reads an answer that was sent at a time of the server's, and received at one of this machine's. */
    private void read(long sentAt, long receivedAt) {
        clock.read(
                head(DateTimeFormatter.RFC_1123_DATE_TIME.format(
                        Instant.ofEpochMilli(sentAt).atOffset(ZoneOffset.UTC))),
                receivedAt);
    }

    @Test
    void withoutADateItIsTheTimeOfThisMachine() {
        assertThat(clock.at(NOW)).isEqualTo(NOW);
        clock.read(head("now"), NOW);
        assertThat(clock.isKnown()).isFalse();
        assertThat(clock.at(NOW + 5)).isEqualTo(NOW + 5);
    }

    @Test
    void theFirstDateIsTheTimeWhenItCame() {
        read(NOW + 700, NOW + 60_000);
        assertThat(clock.isKnown()).isTrue();
        assertThat(clock.at(NOW + 60_000)).isEqualTo(NOW);
        assertThat(clock.at(NOW + 60_250)).isEqualTo(NOW + 250);
    }

    @Test
    void anAnswerAtTheBeginningOfASecondTellsMore() {
        read(NOW + 700, NOW + 710);
        read(NOW + 1_003, NOW + 1_020);
        read(NOW + 1_900, NOW + 1_910);
        assertThat(clock.at(NOW + 1_910)).isEqualTo(NOW + 1_890);
    }

    @ParameterizedTest
    @ValueSource(longs = {-3_600_000, -250, 0, 400, 86_400_000})
    void manyAnswersTellTheTimeToMillisecondsAndNeverALaterOne(long ahead) {
        SplittableRandom random = new SplittableRandom(7);
        long here = NOW;
        for (int i = 0; i < 3_000; i++) {
            here += random.nextLong(40);
            long way = 1 + random.nextLong(60);
            read(here + ahead, here + way);
            assertThat(clock.at(here + way) - ahead).isBetween(here + way - 1_100, here + way);
            if (i > 500) {
                assertThat(clock.at(here) - ahead).isGreaterThan(here - 50);
            }
        }
    }

    @Test
    void aDateOfACacheTellsNothing() {
        clock.read(ofCache("Tue, 14 Nov 2023 20:13:20 GMT"), NOW);
        assertThat(clock.isKnown()).isFalse();
        read(NOW, NOW);
        clock.read(ofCache("Tue, 14 Nov 2023 20:13:20 GMT"), NOW + 10);
        assertThat(clock.at(NOW + 10)).isEqualTo(NOW + 10);
    }

    @Test
    void itFollowsAClockThatIsSet() {
        read(NOW, NOW);
        read(NOW + 1_000, NOW + 1_000 - 3_600_000); // this machine's is put back
        assertThat(clock.at(NOW + 1_500 - 3_600_000)).isEqualTo(NOW + 1_500);
        read(NOW + 2_000, NOW + 2_000 + 3_600_000); // and forward
        assertThat(clock.at(NOW + 2_500 + 3_600_000)).isEqualTo(NOW + 2_500);
    }

    @Test
    void anAnswerThatIsABitLateTellsOfNoOtherClock() {
        read(NOW, NOW);
        read(NOW, NOW + 1_999);
        assertThat(clock.at(NOW + 2_000)).isEqualTo(NOW + 2_000);
        read(NOW, NOW + 2_000);
        assertThat(clock.at(NOW + 2_000)).isEqualTo(NOW);
    }

    @Test
    void whatWasSeenAMinuteOrTwoAgoIsForgotten() {
        read(NOW, NOW);
        for (int second = 1; second < 120; second++) {
            read(NOW + second * 1_000L, NOW + second * 1_000L + 300); // the clocks drift apart
        }
        assertThat(clock.at(NOW + 119_300)).isEqualTo(NOW + 119_300);
        read(NOW + 120_000, NOW + 120_300);
        assertThat(clock.at(NOW + 120_300)).isEqualTo(NOW + 120_000);
    }

    @Test
    void afterARestOfAnHourOnlyTheLastDateCounts() {
        read(NOW, NOW);
        read(NOW + 3_600_000, NOW + 3_600_500);
        assertThat(clock.at(NOW + 3_600_500)).isEqualTo(NOW + 3_600_000);
    }
}
