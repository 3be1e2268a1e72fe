/**
 * The scripts of the limits that processes share. Redis runs each of them as a whole, and its clock is the only one.
 *
 * `requests`, `tokens` and `running` are sorted by the time until which an entry counts. While a request is under way, that
 * is the end of its lease and a window; its process renews the lease. So what a killed process had sent counts until the
 * lease and the window are over, and then no more. `line` has the first waiting request of each process.
 */

/** The keys of every script, in this order. */
export const KEYS = ["line", "alive", "requests", "tokens", "amounts", "running", "state"] as const;

const START = `
local line, alive, requests, tokens, amounts, running, state = unpack(KEYS)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local me, channel = ARGV[1], ARGV[2]
local function number(name) return tonumber(redis.call('HGET', state, name) or '0') end
local function wake() if redis.call('ZCARD', line) > 0 then redis.call('PUBLISH', channel, '') end end
local function leave() redis.call('ZREM', line, me) redis.call('ZREM', alive, me) end
local function amount(id, count)
  local before = tonumber(redis.call('HGET', amounts, id) or '0')
  redis.call('HINCRBY', state, 'used', count - before)
  if count > 0 then redis.call('HSET', amounts, id, count) else redis.call('HDEL', amounts, id) end
end
`;

/**
 * Takes room for a request. `ARGV[3]`: limits as JSON. Returns `[wait, cost]`: 0 if it can be sent, the time to wait, -1
 * until somebody else ends, or -2 if the budget is spent.
 */
export const TAKE = `${START}
local limits = cjson.decode(ARGV[3])
redis.call('ZREMRANGEBYSCORE', requests, '-inf', now)
redis.call('ZREMRANGEBYSCORE', running, '-inf', now)
for _, id in ipairs(redis.call('ZRANGEBYSCORE', tokens, '-inf', now)) do
  redis.call('ZREM', tokens, id)
  amount(id, 0)
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', alive, '-inf', now)) do
  redis.call('ZREM', alive, id)
  redis.call('ZREM', line, id)
end
local cost = redis.call('HGET', state, 'cost') or '0'
if limits.cost and tonumber(cost) >= limits.cost then
  leave()
  wake()
  return { -2, cost }
end
if not redis.call('ZSCORE', line, me) then
  redis.call('ZADD', line, redis.call('HINCRBY', state, 'tickets', 1), me)
end
redis.call('ZADD', alive, now + limits.waitMs, me)
if redis.call('ZRANGE', line, 0, 0)[1] ~= me then return { -1, cost } end
if limits.concurrent and redis.call('ZCARD', running) >= limits.concurrent then return { -1, cost } end
local function left(key) return tonumber(redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2] or now) - now end
local wait = math.max(0, number('pausedUntil') - now)
if limits.requests and redis.call('ZCARD', requests) >= limits.requests then
  wait = math.max(wait, left(requests), 1)
end
local used = number('used')
if limits.tokens and used > 0 and used + limits.amount > limits.tokens then
  wait = math.max(wait, left(tokens), 1)
end
if wait > 0 then return { wait, cost } end
leave()
local lease = now + limits.leaseMs
redis.call('ZADD', running, lease, me)
redis.call('ZADD', requests, lease + limits.windowMs, me)
redis.call('ZADD', tokens, lease + limits.windowMs, me)
amount(me, limits.amount)
redis.call('HINCRBY', state, 'requests', 1)
for _, key in ipairs({ line, alive, requests, tokens, amounts, running }) do
  redis.call('PEXPIRE', key, limits.leaseMs + 2 * limits.windowMs + 60000)
end
wake()
return { 0, cost }`;

/** A waiting request no longer waits. */
export const LEAVE = `${START}
leave()
wake()`;

/** The server has begun to answer. `ARGV[3]`: the window. */
export const ANSWERED = `${START}
redis.call('ZADD', requests, 'XX', now + ARGV[3], me)
wake()`;

/** A request has ended. `ARGV[3]`: the window, its tokens, its cost, and whether the server has counted it, as JSON. */
export const END = `${START}
local ended = cjson.decode(ARGV[3])
redis.call('ZREM', running, me)
if not ended.isAnswered then redis.call('ZADD', requests, 'XX', now + ended.windowMs, me) end
if redis.call('ZSCORE', tokens, me) then
  amount(me, ended.tokens)
  redis.call('ZADD', tokens, now + ended.windowMs, me)
end
redis.call('HINCRBY', state, 'tokens', ended.tokens)
if ended.cost then redis.call('HINCRBYFLOAT', state, 'cost', ended.cost) end
wake()`;

/** A request had room, but is not sent. */
export const CANCEL = `${START}
redis.call('ZREM', running, me)
redis.call('ZREM', requests, me)
redis.call('ZREM', tokens, me)
amount(me, 0)
redis.call('HINCRBY', state, 'requests', -1)
wake()`;

/** Requests are still under way. `ARGV[3]`: the lease, the window, and the requests with whether they were answered. */
export const RENEW = `${START}
local renewed = cjson.decode(ARGV[3])
local lease = now + renewed.leaseMs
for _, one in ipairs(renewed.sent) do
  redis.call('ZADD', running, 'XX', lease, one.id)
  redis.call('ZADD', tokens, 'XX', lease + renewed.windowMs, one.id)
  if not one.isAnswered then redis.call('ZADD', requests, 'XX', lease + renewed.windowMs, one.id) end
end`;

/** Nothing is sent for a while. `ARGV[3]`: for how long. */
export const PAUSE = `${START}
redis.call('HSET', state, 'pausedUntil', math.max(number('pausedUntil'), now + ARGV[3]))`;
