package dev.throttle.redis;

/** Scripts that keep token buckets in Redis. */
final class BucketScripts {

    private BucketScripts() {}

    /**
     * A bucket is kept as three numbers: when it is full again if no more is taken, how much came back unspent in all,
     * and when it would be full again had nothing been taken but what was promised ahead. The sum of the first two
     * tells how much others were given since a lease.
     *
     * <p>What comes back counts again, but not what would have run over meanwhile, had it never been given. That is not
     * known. It is no more than if the bucket had been full just now, or when the last that was promised ahead is due,
     * and only what others were given since had to drip in.
     */
    private static final String READ = """
            local function read(text)
              local state, back, promised = string.match(text or '', '^([%d.]+)|?([%d.]*)|?([%d.]*)$')
              return tonumber(state) or 0, tonumber(back) or 0, tonumber(promised) or 0
            end
            local function without(amount, state, back, promised, gross, now, interval)
              local since = state + back - gross
              if since < -interval / 2 then return state end
              if since < interval / 2 then return state - amount end
              return math.min(state, math.max(state - amount, math.max(now, promised) + since))
            end
            """;

    /**
     * KEYS further: what was given back before it was due. ARGV further: the tolerance of the bucket, the state that
     * the client saw last, the longest time ahead, when it saw that state, and how many shared the limit then. What was
     * spent without asking empties the bucket, and no more. If more was promised than ever is, the bucket counts as
     * empty. If the state is gone that a client has seen lately, the bucket counts as empty, too, and a lease of each
     * client as promised, because the other clients may hold as much.
     */
    static final Script TAKE = Script.of(LimitScripts.PROLOGUE + READ + """
            local tolerance, ahead = tonumber(ARGV[12]), tonumber(ARGV[14])
            local stored, back, promised = read(redis.call('GET', KEYS[1]))
            local seen, known = read(ARGV[13])
            seen = math.max(0, seen - math.max(0, back - known))
            local toldAt, all = tonumber(ARGV[15]), tonumber(ARGV[16])
            seen = math.max(0, seen - math.max(0, toldAt - now))
            if stored == 0 then back = known end
            local function told(state, gross) return string.format('%.3f|%.3f|%.3f', state, back, gross) end
            local function keep(state)
              redis.call('SET', KEYS[1], string.format('%.3f|%.3f|%.0f', state, back, promised), 'PX', ttl)
            end
            if step > 0 then
              stored, promised = math.max(0, stored - step), math.max(0, promised - step)
              if stored > 0 then keep(stored) end
              local items = redis.call('LRANGE', KEYS[5], 0, -1)
              redis.call('DEL', KEYS[5])
              for _, item in ipairs(items) do
                local due, rest = string.match(item, '^(%d+)(:.*)$')
                redis.call('RPUSH', KEYS[5], string.format('%.0f', math.max(0, tonumber(due) - step)) .. rest)
              end
              redis.call('PEXPIRE', KEYS[5], 120000)
            end
            if stored == 0 and toldAt > 0 and toldAt + tonumber(ttl) * 1000 > now then
              lost = 1
              sharers = math.max(sharers, all)
              fair = math.max(1, math.floor(turn / interval / sharers))
              seen = math.max(seen, now + tolerance + (sharers * fair + 1) * interval)
              stored, promised = seen, now
              keep(stored)
            end
            local most = now + 2 * (tolerance + ahead) + valid + interval
            if stored > most or stored == 0 and seen > most then
              stored, promised = now + tolerance + interval, now
              keep(stored)
            end
            if seen > most then seen = 0 end
            local base = math.max(now, stored, seen)
            if own > 0 or others > 0 then
              base = base + others
              base = math.max(base, math.min(base + own * interval, now + tolerance + interval))
              keep(base)
            end
            local item = wanted > 0 and redis.call('LPOP', KEYS[5])
            while item do
              local due, gap, count, gross = string.match(item, '^(%d+):(%d+):(%d+):?([%d.]*)$')
              due, gap, count, gross = tonumber(due), tonumber(gap), tonumber(count), tonumber(gross) or 0
              local gone = 0
              if due + valid <= now then
                gone = gap == 0 and count or math.min(count, math.floor((now - due - valid) / gap) + 1)
              end
              if due > now + ahead or least > 1 and (gap > 0 or count - gone < least) then gone = count end
              if gone > 0 then
                local before = gross - (count - gone) * interval
                local left = without(gone * interval, base, back, promised, before, now, interval)
                if left < base then
                  back = back + base - left
                  keep(left)
                  base = math.max(now, left)
                end
                count = count - gone
                due = due + gone * gap
              end
              if count > 0 then
                local late = due <= now and (gap == 0 and count or math.min(count, math.floor((now - due) / gap) + 1)) or 0
                local taken = math.min(wanted, late > 0 and late or count)
                if taken < count then
                  local rest = string.format('%.0f:%.0f:%.0f:%.3f', due + taken * gap, gap, count - taken, gross)
                  redis.call('LPUSH', KEYS[5], rest)
                end
                local state = told(base, gross - (count - taken) * interval)
                if late > 0 then
                  return answer(taken, 0, 0, due + valid - now, state)
                end
                return answer(taken, due - now, gap, valid, state)
              end
              item = redis.call('LPOP', KEYS[5])
            end
            local free = 0
            if base <= now + tolerance then free = math.floor((now + tolerance - base) / interval) + 1 end
            local permits = math.max(least, math.min(wanted, free > 0 and free or fair))
            local first = base - tolerance - now
            local last = base + (permits - 1) * interval - tolerance - now
            if first > ahead then
              return answer(0, math.min(first - ahead, 5000000), 0, 1, told(base, 0))
            end
            if permits > free then
              promised = math.max(promised, now + (least > 1 and last or first)) + permits * interval
            end
            base = base + permits * interval
            keep(base)
            local state = told(base, base + back)
            if permits <= free then return answer(permits, 0, 0, valid, state) end
            if least > 1 then return answer(permits, last, 0, valid, state) end
            return answer(permits, math.ceil(first), interval, valid, state)
            """);

    /**
     * KEYS: bucket, what was given back. ARGV: due, gap, count, state and what had come back after it was given,
     * longest validity, interval, lifetime.
     */
    static final Script GIVE = Script.of(READ + """
            local time = redis.call('TIME')
            local now = time[1] * 1000000 + time[2]
            local due, gap, count, gross = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
            local valid, interval = tonumber(ARGV[5]), tonumber(ARGV[6])
            if due > now + 120000000 or due < now - 30000000 then return 0 end
            if due > now or gap > 0 and due + valid + (count - 1) * gap > now then
              redis.call('RPUSH', KEYS[2], string.format('%.0f:%.0f:%.0f:%.3f', due, gap, count, gross))
              redis.call('LTRIM', KEYS[2], -64, -1)
              redis.call('PEXPIRE', KEYS[2], 120000)
              return 1
            end
            local state, back, promised = read(redis.call('GET', KEYS[1]))
            if state <= now then return 0 end
            local left = without(count * interval, state, back, promised, gross, now, interval)
            redis.call('SET', KEYS[1],
              string.format('%.3f|%.3f|%.0f', left, back + state - left, promised), 'PX', ARGV[7])
            return 1
            """);
}
