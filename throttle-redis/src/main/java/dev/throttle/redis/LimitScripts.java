package dev.throttle.redis;

/**
 * The limits as Redis keeps them. All times are microseconds of its clock. Permits are promised ahead of their time, to
 * whoever asks first, so that processes take turns where there is less than a lease for each.
 */
final class LimitScripts {

    private LimitScripts() {}

    /**
     * Reads the clock, and counts who shares the limit: whoever has asked within two turns of everybody. If the client
     * has spent permits of its own share while it could not ask, the others may do so still: for two seconds, the
     * shares of those who are not back count as spent. Who wants nothing only tells what it has spent. KEYS: the limit,
     * sharers, how many are to come back and until when their shares were counted, and what each client has told by
     * what name, so that it is counted once if the answer was lost.
     */
    private static final String PROLOGUE = """
            local time = redis.call('TIME')
            local now = time[1] * 1000000 + time[2]
            local client, interval, valid, turn = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
            local least, wanted, ttl = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
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
            expected, since = tonumber(expected) or 0, tonumber(since) or now
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
                string.format('%.3f', state), string.format('%.0f', now)}
            end
            """;

    /**
     * A token bucket. KEYS further: what was given back. ARGV further: the tolerance of the bucket, the state that the
     * client saw last, the longest time ahead. What was spent without asking empties the bucket, and no more. If more
     * was promised than ever is, the clock has been put back: then the bucket counts as empty.
     */
    static final Script TAKE_FROM_BUCKET = Script.of(PROLOGUE + """
            local tolerance, seen, ahead = tonumber(ARGV[11]), tonumber(ARGV[12]), tonumber(ARGV[13])
            local most = now + 2 * (tolerance + ahead) + valid + interval
            local stored = tonumber(redis.call('GET', KEYS[1]) or '0') or 0
            if stored > most or stored == 0 and seen > most then
              stored = now + tolerance + interval
              redis.call('SET', KEYS[1], string.format('%.3f', stored), 'PX', ttl)
            end
            if seen > most then seen = 0 end
            local base = math.max(now, stored, seen)
            if own > 0 or others > 0 then
              base = base + others
              base = math.max(base, math.min(base + own * interval, now + tolerance + interval))
              redis.call('SET', KEYS[1], string.format('%.3f', base), 'PX', ttl)
              seen = base
            end
            local back = wanted > 0 and redis.call('LPOP', KEYS[5])
            while back do
              local due, gap, count = string.match(back, '^(%d+):(%d+):(%d+)$')
              due, gap, count = tonumber(due), tonumber(gap), tonumber(count)
              if due + valid <= now then
                local gone = gap == 0 and count or math.min(count, math.floor((now - due - valid) / gap) + 1)
                count = count - gone
                due = due + gone * gap
              end
              if count > 0 and due <= now + ahead and (least == 1 or gap == 0 and count >= least) then
                local late = due <= now and (gap == 0 and count or math.min(count, math.floor((now - due) / gap) + 1)) or 0
                local given = math.min(wanted, late > 0 and late or count)
                if given < count then
                  redis.call('LPUSH', KEYS[5], string.format('%.0f:%.0f:%.0f', due + given * gap, gap, count - given))
                end
                if late > 0 then
                  return answer(given, 0, 0, due + valid - now, seen)
                end
                return answer(given, due - now, gap, valid, seen)
              end
              back = redis.call('LPOP', KEYS[5])
            end
            local free = 0
            if base <= now + tolerance then free = math.floor((now + tolerance - base) / interval) + 1 end
            local permits = math.max(least, math.min(wanted, free > 0 and free or fair))
            local first = base - tolerance - now
            local last = base + (permits - 1) * interval - tolerance - now
            if first > ahead then
              return answer(0, math.min(first - ahead, 5000000), 0, 1, seen)
            end
            local state = base + permits * interval
            redis.call('SET', KEYS[1], string.format('%.3f', state), 'PX', ttl)
            if permits <= free then return answer(permits, 0, 0, valid, state) end
            if least > 1 then return answer(permits, last, 0, valid, state) end
            return answer(permits, math.ceil(first), interval, valid, state)
            """);

    /**
     * KEYS: bucket, what was given back. ARGV: due, gap, count, valid, interval, ttl, tolerance. A bucket of one token
     * cannot take back what is due, because those after it have been promised already.
     */
    static final Script GIVE_TO_BUCKET = Script.of("""
            local time = redis.call('TIME')
            local now = time[1] * 1000000 + time[2]
            local due, gap, count, valid = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
            if due + valid + (count - 1) * gap <= now or due > now + 120000000 then return 0 end
            if gap == 0 and due <= now then
              if tonumber(ARGV[7]) == 0 then return 0 end
              local stored = tonumber(redis.call('GET', KEYS[1]) or '0') or 0
              if stored > now then
                redis.call('SET', KEYS[1], string.format('%.3f', stored - count * tonumber(ARGV[5])), 'PX', ARGV[6])
              end
              return 1
            end
            redis.call('RPUSH', KEYS[2], string.format('%.0f:%.0f:%.0f', due, gap, count))
            redis.call('LTRIM', KEYS[2], -64, -1)
            redis.call('PEXPIRE', KEYS[2], 120000)
            return 1
            """);

    /**
     * A sliding window: whatever interval of its length one takes, no more than the limit become due in it. KEYS: what
     * became due, oldest first, as time:count. ARGV further: the limit, the window, whether the client has seen the
     * window before, the longest time ahead, what was spent without asking as age:count. A window that was lost is
     * taken to have been used evenly. If something is due later than ever is promised, the clock has been put back:
     * then the last of it counts as due now.
     */
    static final Script TAKE_FROM_WINDOW = Script.of(PROLOGUE + """
            local limit, window, seen, ahead = tonumber(ARGV[11]), tonumber(ARGV[12]), ARGV[13], tonumber(ARGV[14])
            local span = window + valid
            limit = math.max(least, math.floor(limit * (1 - missing)))
            local last = tonumber(string.match(redis.call('LINDEX', KEYS[1], -1) or '', '^%d+')) or 0
            if last > now + ahead + 1000000 then
              local late = redis.call('LRANGE', KEYS[1], 0, -1)
              redis.call('DEL', KEYS[1])
              for _, entry in ipairs(late) do
                local due, count = string.match(entry, '^(%d+):(%d+)$')
                redis.call('RPUSH', KEYS[1], string.format('%.0f:%s', math.max(0, tonumber(due) - last + now), count))
              end
              redis.call('PEXPIRE', KEYS[1], ttl)
            end
            if seen == '1' and redis.call('EXISTS', KEYS[1]) == 0 then
              local parts = math.min(limit, 20)
              for i = 1, parts do
                local count = math.floor(limit * i / parts) - math.floor(limit * (i - 1) / parts)
                redis.call('RPUSH', KEYS[1], string.format('%.0f:%.0f', now - span + i * span / parts, count))
              end
              redis.call('PEXPIRE', KEYS[1], ttl)
            elseif own > 0 then
              local both = redis.call('LRANGE', KEYS[1], 0, -1)
              for age, count in string.gmatch(ARGV[15], '(%d+):(%d+)') do
                both[#both + 1] = string.format('%.0f:%s', now - tonumber(age), count)
              end
              table.sort(both, function(a, b)
                return tonumber(string.match(a, '^%d+')) < tonumber(string.match(b, '^%d+'))
              end)
              redis.call('DEL', KEYS[1])
              for _, entry in ipairs(both) do redis.call('RPUSH', KEYS[1], entry) end
              redis.call('PEXPIRE', KEYS[1], ttl)
            end
            local log = redis.call('LRANGE', KEYS[1], 0, -1)
            local times, counts, total, old = {}, {}, 0, 0
            for _, entry in ipairs(log) do
              local due, count = string.match(entry, '^(%d+):(%d+)$')
              due, count = tonumber(due), tonumber(count)
              if due + span <= now and total == 0 then
                old = old + 1
              else
                times[#times + 1], counts[#counts + 1], total = due, count, total + count
              end
            end
            if old > 0 then redis.call('LTRIM', KEYS[1], old, -1) end
            local due, permits = now, 0
            if limit - total >= least then
              permits = math.min(wanted, limit - total)
            else
              local room = limit - total
              for i = 1, #times do
                local before = room
                room = room + counts[i]
                if room >= least then
                  due = math.max(now, times[i] + span)
                  permits = math.min(math.max(least, math.min(wanted, fair)), math.max(least, room - math.max(0, before)))
                  break
                end
              end
            end
            if permits == 0 or due - now > ahead then
              return answer(0, math.max(10000, math.min(due - now - ahead, 5000000)), 0, 1, 1)
            end
            local newest = #times > 0 and times[#times] or 0
            due = math.max(due, newest)
            local slot = window / 200
            if #times > 0 and math.floor(due / slot) == math.floor(newest / slot) then
              redis.call('LSET', KEYS[1], -1, string.format('%.0f:%.0f', due, counts[#counts] + permits))
            else
              redis.call('RPUSH', KEYS[1], string.format('%.0f:%.0f', due, permits))
            end
            redis.call('PEXPIRE', KEYS[1], ttl)
            return answer(permits, due - now, 0, valid, 1)
            """);

    /**
     * KEYS: what became due. ARGV: due, count, the window. Later leases of the same slot are counted in the same entry,
     * under the time of the latest.
     */
    static final Script GIVE_TO_WINDOW = Script.of("""
            local length = redis.call('LLEN', KEYS[1])
            local given, slot = tonumber(ARGV[1]), tonumber(ARGV[3]) / 200
            local at, entry
            for i = length - 1, math.max(0, length - 50), -1 do
              local due, count = string.match(redis.call('LINDEX', KEYS[1], i), '^(%d+):(%d+)$')
              if tonumber(due) + 2 <= given then break end
              if tonumber(due) < given + slot then
                at, entry = i, string.format('%s:%.0f', due, math.max(0, tonumber(count) - tonumber(ARGV[2])))
              end
            end
            if not at then return 0 end
            redis.call('LSET', KEYS[1], at, entry)
            return 1
            """);
}
