package dev.throttle.redis;

/** Scripts that keep sliding windows in Redis. */
final class WindowScripts {

    private WindowScripts() {}

    /**
     * A sliding window: whatever interval of its length one takes, no more than the limit become due in it. KEYS: what
     * became due, oldest first, as time:count. ARGV further: the limit, the window, whether the client has seen the
     * window before, the longest time ahead, what was spent without asking as age:count, how much longer than the
     * window a permit counts, and how much later than due to count the permits given. The state in the answer is the
     * time under which they are counted. A window that was lost is taken to have been used evenly. If something is due
     * later than ever is promised, the last of it counts as due now.
     */
    static final Script TAKE = Script.of(LimitScripts.PROLOGUE + """
            local limit, window, seen, ahead = tonumber(ARGV[12]), tonumber(ARGV[13]), ARGV[14], tonumber(ARGV[15])
            local span = window + tonumber(ARGV[17])
            limit = math.max(least, math.floor(limit * (1 - missing)))
            local last = tonumber(string.match(redis.call('LINDEX', KEYS[1], -1) or '', '^%d+')) or 0
            if step > 0 or last > now + ahead + 1000000 then
              local by = last > now + ahead + 1000000 + step and last - now or step
              local late = redis.call('LRANGE', KEYS[1], 0, -1)
              redis.call('DEL', KEYS[1])
              for _, entry in ipairs(late) do
                local due, count = string.match(entry, '^(%d+):(%d+)$')
                redis.call('RPUSH', KEYS[1], string.format('%.0f:%s', math.max(0, tonumber(due) - by), count))
              end
              redis.call('PEXPIRE', KEYS[1], ttl)
            end
            if seen == '1' and redis.call('EXISTS', KEYS[1]) == 0 then
              lost = 1
              local parts = math.min(limit, 20)
              for i = 1, parts do
                local count = math.floor(limit * i / parts) - math.floor(limit * (i - 1) / parts)
                redis.call('RPUSH', KEYS[1], string.format('%.0f:%.0f', now - span + i * span / parts, count))
              end
              redis.call('PEXPIRE', KEYS[1], ttl)
            elseif own > 0 then
              local both = redis.call('LRANGE', KEYS[1], 0, -1)
              for age, count in string.gmatch(ARGV[16], '(%d+):(%d+)') do
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
              return answer(0, math.max(10000, math.min(due - now - ahead, 5000000)), 0, 1, '1')
            end
            local newest = #times > 0 and times[#times] or 0
            local counted_at = math.max(newest, due + tonumber(ARGV[18]))
            local slot = window / 200
            if #times > 0 and math.floor(counted_at / slot) == math.floor(newest / slot) then
              redis.call('LSET', KEYS[1], -1, string.format('%.0f:%.0f', counted_at, counts[#counts] + permits))
            else
              redis.call('RPUSH', KEYS[1], string.format('%.0f:%.0f', counted_at, permits))
            end
            redis.call('PEXPIRE', KEYS[1], ttl)
            return answer(permits, due - now, 0, valid, string.format('%.0f', counted_at))
            """);

    /**
     * KEYS: what became due. ARGV: the time under which it is counted, count, the window. Later leases of the same slot
     * are counted in the same entry, under the time of the latest.
     */
    static final Script GIVE = Script.of("""
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
