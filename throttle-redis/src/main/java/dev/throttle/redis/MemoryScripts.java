package dev.throttle.redis;

/** What a fleet remembers of each key, and which processes use it. All times are microseconds of the clock of Redis. */
final class MemoryScripts {

    private MemoryScripts() {}

    /**
     * Merges what one process was told into what is known, keeping what is stricter, and publishes it. KEYS: what is
     * known of the key; index. ARGV: client, id, when to come back or 0, outcome, channel, when it was told, for how
     * long it is kept at least; then for each quota: its name, what remains, its reset or 0, the rest.
     */
    static final Script LEARN = Script.of("""
            local time = redis.call('TIME')
            local now = time[1] * 1000000 + time[2]
            local day = 86400000000
            local back, said = tonumber(ARGV[3]), tonumber(ARGV[6])
            local lasts = now + tonumber(ARGV[7])
            if back > now then
              back = math.min(back, now + day)
              lasts = math.max(lasts, back)
              local before = tonumber(redis.call('HGET', KEYS[1], 'u') or '0') or 0
              if back > before or before > now + day then
                redis.call('HSET', KEYS[1], 'u', string.format('%.0f', back), 'o', ARGV[4])
              end
            end
            local message = {'1', ARGV[1], ARGV[2], string.format('%.0f', back), ARGV[4]}
            for i = 8, #ARGV, 4 do
              local field, left, reset = 'q' .. ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
              local text = string.format('%.0f %.0f %.0f ', said, left, reset) .. ARGV[i + 3]
              local old, keep = redis.call('HGET', KEYS[1], field), false
              if old then
                local oldSaid, oldLeft, oldReset = string.match(old, '^(%d+) (%d+) (%d+) ')
                oldSaid, oldLeft, oldReset = tonumber(oldSaid), tonumber(oldLeft), tonumber(oldReset)
                if not oldReset or oldSaid > now + 1000000 then
                  keep = false
                elseif reset > 0 and oldReset > 0 and math.abs(reset - oldReset) < 2000000 then
                  keep = oldLeft < left
                else
                  keep = oldSaid > said
                end
              elseif redis.call('HLEN', KEYS[1]) > 20 then
                keep = true
              end
              if not keep then
                redis.call('HSET', KEYS[1], field, text)
                message[#message + 1] = text
              end
              lasts = math.max(lasts, math.min(reset, now + day))
            end
            if redis.call('PTTL', KEYS[1]) < (lasts - now) / 1000 then
              redis.call('PEXPIRE', KEYS[1], string.format('%.0f', (lasts - now) / 1000))
            end
            redis.call('ZADD', KEYS[2], string.format('%.0f', lasts), ARGV[2])
            redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now))
            redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -4097)
            redis.call('PEXPIRE', KEYS[2], 86400000)
            redis.call('PUBLISH', ARGV[5], table.concat(message, '\\n'))
            return {string.format('%.0f', now)}
            """);

    /**
     * Registers a process as alive, and reads what is known of its keys. KEYS: the processes of the fleet; then for
     * each key: its users, those of them that have something to do, and what is known. ARGV: client, 1 to register or 0
     * to read only, how long the registration is valid, how long the pace of others is; then for each key: 1 if the
     * process has something to do, and how many requests per second all send together as it sees it, or 0. These rates
     * are averaged.
     */
    static final Script READ = Script.of("""
            local time = redis.call('TIME')
            local now = time[1] * 1000000 + time[2]
            local client, says = ARGV[1], ARGV[2] == '1'
            local valid = math.min(tonumber(ARGV[3]) or 0, 600000000)
            local fresh = tonumber(ARGV[4])
            local function count(key, isIn)
              if says and isIn then
                redis.call('ZADD', key, string.format('%.0f', now + valid), client)
                redis.call('PEXPIRE', key, string.format('%.0f', valid / 1000 + 30000))
              elseif says then
                redis.call('ZREM', key, client)
              end
              redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now))
              return redis.call('ZCARD', key)
            end
            local function together(key, mine)
              local said, rate = string.match(redis.call('HGET', key, 't') or '', '^(%d+) ([%d.]+)$')
              said, rate = tonumber(said), tonumber(rate)
              local isFresh = said and rate and said <= now + 1000000 and now - said < fresh
              if says and mine > 0 then
                rate = isFresh and rate + 0.3 * (mine - rate) or mine
                redis.call('HSET', key, 't', string.format('%.0f %.6f', now, rate))
                if redis.call('PTTL', key) < fresh / 1000 then redis.call('PEXPIRE', key, string.format('%.0f', fresh / 1000)) end
              end
              return (isFresh or says and mine > 0) and string.format('%.6f', rate) or '0'
            end
            local answer = {string.format('%.0f', now), tostring(count(KEYS[1], true))}
            for i = 2, #KEYS, 3 do
              local at = 5 + (i - 2) / 3 * 2
              local isBusy = ARGV[at] == '1'
              local all = count(KEYS[i], true)
              local busy = count(KEYS[i + 1], isBusy)
              if not redis.call('ZSCORE', KEYS[i + 1], client) then busy = busy + 1 end
              local rank = 0
              for _, member in ipairs(redis.call('ZRANGE', KEYS[i], 0, 999)) do
                if member < client then rank = rank + 1 end
              end
              local rate = together(KEYS[i + 2], isBusy and tonumber(ARGV[at + 1]) or 0)
              local known = redis.call('HGETALL', KEYS[i + 2])
              table.insert(known, 1, rate)
              table.insert(known, 1, tostring(busy))
              table.insert(known, 1, tostring(rank))
              table.insert(known, 1, tostring(all))
              answer[#answer + 1] = known
            end
            return answer
            """);

    /**
     * Leaves. KEYS: the processes of the fleet; the users of each key, and those with something to do. ARGV: client.
     */
    static final Script LEAVE = Script.of("""
            for _, key in ipairs(KEYS) do redis.call('ZREM', key, ARGV[1]) end
            return {}
            """);

    /** Names the keys of which something is known. KEYS: index. ARGV: how many at most. */
    static final Script RECALL = Script.of("""
            local time = redis.call('TIME')
            return redis.call('ZREVRANGEBYSCORE', KEYS[1], '+inf', tostring(time[1]) .. '000000', 'LIMIT', 0, ARGV[1])
            """);
}
