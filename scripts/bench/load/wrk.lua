-- What wrk sends and tells: the request of the environment with its marks filled in, as requests.ts has them, and at the
-- end the figures as one line of JSON. One thread, so that every number is unique among all connections.

local WAYS = {
  ["{{name}}"] = function(n) return string.format("%08d", n % names) end,
  ["{{mark}}"] = function(n) return string.format("%08d", n) end,
  ["{{address}}"] = function(n)
    return string.format("%d.%d.%d", 100 + math.floor(n / 22500) % 150, 100 + math.floor(n / 150) % 150, 100 + n % 150)
  end,
}

local PERCENTILES = 1000

local pieces, marked = {}, {}
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  number, names = tonumber(args[1]), tonumber(args[2])
  local text, from = os.getenv("EGRET_BENCH_REQUEST"), 1
  while true do
    local first, last = string.find(text, "{{[%a]+}}", from)
    table.insert(pieces, string.sub(text, from, (first or 0) - 1))
    if first == nil then break end
    table.insert(pieces, "")
    table.insert(marked, { at = #pieces, way = WAYS[string.sub(text, first, last)] })
    from = last + 1
  end
  io.stderr:write("ready\n")
end

function request()
  for _, mark in ipairs(marked) do pieces[mark.at] = mark.way(number) end
  number = number + 1
  return table.concat(pieces)
end

function done(summary, latency)
  local delays = {}
  for index = 1, PERCENTILES do
    delays[index] = string.format("%.3f", latency:percentile((index - 0.5) * 100 / PERCENTILES) / 1000)
  end
  local errors = summary.errors
  io.write(string.format(
    '\nFIGURES {"count":%d,"elapsedMs":%.3f,"next":%d,"refused":%d,"broken":%d,"delaysMs":[%s]}\n',
    summary.requests, summary.duration / 1000, threads[1]:get("number"), errors.status,
    errors.connect + errors.read + errors.write + errors.timeout, table.concat(delays, ",")
  ))
end
