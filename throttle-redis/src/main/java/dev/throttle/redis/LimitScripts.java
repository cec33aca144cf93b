package dev.throttle.redis;

/**
 * The limits as Redis keeps them. All times are microseconds of its clock. Permits are promised ahead of their time, in
 * the order in which processes ask, so that processes take turns where there is less than a lease for each.
 */
final class LimitScripts {

    private LimitScripts() {}

    /**
     * Reads the clock, and counts the sharers: the clients that have asked within two turns of all. If the client has
     * spent permits of its own share while it could not ask, the others may do so still: for two seconds, the shares of
     * those that are not back count as spent. If a client has asked later than it is now, the clock was put back: then
     * all instants that are kept are put back by as much. The client knows best how much: it says what time it must be
     * at least, as far as it has counted since the last answer. A client that wants nothing only reports what it has
     * spent. KEYS: the limit, sharers, how many are to come back and until when their shares were counted, and what
     * each client has told by what name, so that it is counted once if the answer was lost.
     */
    static final String PROLOGUE = """
            local time = redis.call('TIME')
            local now = time[1] * 1000000 + time[2]
            local client, interval, valid, turn = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
            local least, wanted, ttl = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
            local latest = redis.call('ZSCORE', KEYS[2], redis.call('ZRANGE', KEYS[2], -1, -1)[1] or '')
            local step = math.max(0, (tonumber(latest or 0) or 0) - now)
            if step > 0 then
              step = math.max(step, tonumber(ARGV[11]) - now)
              for _, member in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
                local score = tonumber(redis.call('ZSCORE', KEYS[2], member))
                redis.call('ZADD', KEYS[2], string.format('%.0f', score - step), member)
              end
            end
            local lost = 0
            redis.call('ZADD', KEYS[2], string.format('%.0f', now), client)
            local sharers = redis.call('ZCARD', KEYS[2])
            local silent = now - 2000000 - math.min(2 * sharers * interval, 120000000)
            if redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', silent)) > 0 then
              sharers = redis.call('ZCARD', KEYS[2])
            end
            redis.call('PEXPIRE', KEYS[2], 300000)
            local own = tonumber(ARGV[8])
            if own > 0 then
              local told, name = redis.call('HGET', KEYS[4], client) or ',', ARGV[10] .. ','
              if string.find(told, ',' .. name, 1, true) then
                own = 0
              else
                redis.call('HSET', KEYS[4], client, string.sub(told .. name, -100))
                redis.call('PEXPIRE', KEYS[4], 300000)
              end
            end
            local expected, since = string.match(redis.call('GET', KEYS[3]) or '', '^(%d+):(%d+)$')
            expected, since = tonumber(expected) or 0, math.min(now, tonumber(since) or now)
            if own > 0 then expected = math.max(expected, math.min(tonumber(ARGV[9]), 1000000)) end
            local missing, others = 0, 0
            if expected > 0 then
              local there = redis.call('ZCOUNT', KEYS[2], string.format('%.0f', now - 2000000), '+inf')
              missing = math.max(0, 1 - there / expected)
              others = math.max(0, now - since) * missing
              sharers = math.max(sharers, expected)
              local hold = string.format('%.0f:%.0f', expected, now)
              if own > 0 then
                redis.call('SET', KEYS[3], hold, 'PX', 2000)
              else
                redis.call('SET', KEYS[3], hold, 'KEEPTTL')
              end
            end
            local fair = math.max(1, math.floor(turn / interval / sharers))
            local function answer(permits, first, gap, good, state)
              return {string.format('%.0f', permits), string.format('%.0f', math.max(0, first)),
                string.format('%.3f', gap), string.format('%.0f', good), string.format('%.0f', sharers),
                state, string.format('%.0f', now), tostring(lost)}
            end
            """;
}
