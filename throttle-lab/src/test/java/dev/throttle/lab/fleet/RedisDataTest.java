package dev.throttle.lab.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Commands and scripts answer as those of Redis do. */
class RedisDataTest {

    private final List<String> published = new ArrayList<>();
    private final RedisData data = new RedisData((channel, text) -> published.add(channel + ": " + text));
    private final LuaScripts scripts = new LuaScripts(data);

    private List<Object> run(String text, String... args) {
        data.setTime(1_700_000_000_000_000L);
        return scripts.run(text, new String[] {"key"}, args);
    }

    @Test
    void sortedSetsAreInOrderOfScoreAndThenOfName() {
        List<Object> answer = run("""
                redis.call('ZADD', KEYS[1], '2', 'b') redis.call('ZADD', KEYS[1], '1', 'c')
                redis.call('ZADD', KEYS[1], '2', 'a') redis.call('ZADD', KEYS[1], '3', 'd')
                return {redis.call('ZRANGE', KEYS[1], 0, -1), redis.call('ZCARD', KEYS[1]),
                  redis.call('ZRANGE', KEYS[1], 1, 2),
                  redis.call('ZREVRANGEBYSCORE', KEYS[1], '+inf', '2', 'LIMIT', 0, 2),
                  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '1'),
                  redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -3), redis.call('ZRANGE', KEYS[1], 0, 999)}
                """);
        assertThat(answer)
                .isEqualTo(List.of(
                        List.of("c", "a", "b", "d"),
                        4L,
                        List.of("a", "b"),
                        List.of("d", "b"),
                        1L,
                        1L,
                        List.of("b", "d")));
    }

    @Test
    void whatIsNotThereIsFalse() {
        assertThat(run("return {tostring(redis.call('HGET', KEYS[1], 'x')), tostring(redis.call('ZSCORE', 'y', 'z')),"
                        + " redis.call('PTTL', KEYS[1]), redis.call('HLEN', KEYS[1]), redis.call('ZREM', 'y', 'z')}"))
                .isEqualTo(List.of("false", "false", -2L, 0L, 0L));
    }

    @Test
    void keysExpire() {
        assertThat(run(
                        "redis.call('HSET', KEYS[1], 'a', '1', 'b', ARGV[1])"
                                + " local before = redis.call('PTTL', KEYS[1]) redis.call('PEXPIRE', KEYS[1], '1500')"
                                + " return {before, redis.call('PTTL', KEYS[1]), redis.call('HGETALL', KEYS[1])}",
                        "ü"))
                .isEqualTo(List.of(-1L, 1500L, List.of("a", "1", "b", "ü")));
        data.setTime(1_700_000_001_499_999L);
        assertThat(data.call("HGET", List.of("key", "a"))).isEqualTo("1");
        data.setTime(1_700_000_001_500_000L);
        assertThat(data.call("HGET", List.of("key", "a"))).isNull();
    }

    @Test
    void microsecondsOfThisCenturyAreWrittenInFull() {
        assertThat(run("local time = redis.call('TIME') local now = time[1] * 1000000 + time[2]"
                        + " return {string.format('%.0f %.6f %s %d%%', now, 0.25, 'x', 7),"
                        + " tostring(tonumber('1700000000000001') > now)}"))
                .isEqualTo(List.of("1700000000000000 0.250000 x 7%", "true"));
    }

    @Test
    void messagesArePublished() {
        run("redis.call('PUBLISH', 'news', table.concat({'a', 'b'}, '\\n')) return {}");
        assertThat(published).containsExactly("news: a\nb");
    }
}
