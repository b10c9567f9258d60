-- Sends the requests of the file BENCH_REQUESTS in turn: each is its length, a newline, its bytes.
-- Ends with one line of numbers for load.mjs.
local requests = {}
local turn = 0

function init(args)
  local file = assert(io.open(os.getenv("BENCH_REQUESTS"), "rb"))
  while true do
    local length = file:read("*n")
    if not length then break end
    file:read(1)
    requests[#requests + 1] = file:read(length)
  end
  file:close()
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

function done(summary, latency, all)
  local e = summary.errors
  -- wrk counts the answers from 400 on; a case that wants one of those counts the others.
  local wrong = tonumber(os.getenv("BENCH_STATUS")) < 400 and e.status or summary.requests - e.status
  io.write(string.format("NUMBERS %d %d %.0f %.0f %d %d\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), wrong, e.connect + e.read + e.write + e.timeout))
end
