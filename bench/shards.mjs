// shards.mjs - simulates users on many databases (docs/SCALE.md): how evenly they spread, how much a few very active users
// load one database, what stops if one database is down, and what moves if one is added. The same every time.
//
//   node bench/shards.mjs [USERS]     100,000,000 unless given
const SHARDS = 4096;
const DATABASES = [1, 2, 4, 16, 64];
const users = Number(process.argv[2] ?? 100_000_000);
if (!Number.isInteger(users) || users < SHARDS) {
  console.error(`usage: node bench/shards.mjs [USERS], a whole number of at least ${SHARDS}`);
  process.exit(2);
}

// xorshift32, seeded: user ids are random, so their shard is, too.
let state = 0x9e3779b9;
function random() {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return state >>> 0;
}

// Database `i` of `n` has a range of shards.
const databaseOf = (shard, n) => Math.floor((shard * n) / SHARDS);

// Requests per user and day: most users have few, some assistants ask all day. Pareto with a = 1.2, at least 2 a day,
// and at most what rate-api lets one token do.
const MOST_REQUESTS = 600 * 60 * 24;
const requestsOf = () => Math.min(MOST_REQUESTS, 2 / (1 - random() / 2 ** 32) ** (1 / 1.2));

const counts = new Float64Array(SHARDS);
const loads = new Float64Array(SHARDS);
let busiest = 0;
for (let i = 0; i < users; i++) {
  const shard = random() >>> 20;
  const load = requestsOf();
  counts[shard]++;
  loads[shard] += load;
  if (load > busiest) busiest = load;
}

function perDatabase(values, n) {
  const sums = new Float64Array(n);
  values.forEach((value, shard) => (sums[databaseOf(shard, n)] += value));
  return [...sums];
}

const sum = (values) => values.reduce((a, b) => a + b, 0);
const percent = (share) => `${(100 * share).toFixed(2)} %`;
const above = (values) => percent(Math.max(...values) / (sum(values) / values.length) - 1);
const whole = (value) => Math.round(value).toLocaleString("en-US");

console.log(`${whole(users)} users, ${SHARDS} shards, ${whole(sum([...loads]) / users)} requests per user and day (busiest: ${whole(busiest)})`);
console.log(`shards: ${whole(Math.min(...counts))} to ${whole(Math.max(...counts))} users, busiest shard ${above([...loads])} above the mean load\n`);
console.log("| databases | users of the largest, above the mean | load of the busiest, above the mean | one down: requests that fail | of the others: sign-ins by name that fail | one added: users that move |");
console.log("|---|---|---|---|---|---|");
for (const n of DATABASES) {
  const load = perDatabase(loads, n);
  const down = load.indexOf(Math.max(...load)); // the worst case
  // The lookup rows of names are spread over all databases, too: by a digest of the name.
  const signIns = n === 1 ? "-" : percent(1 / n);
  // A new database gets the same share from each of the others.
  console.log(`| ${n} | ${above(perDatabase(counts, n))} | ${above(load)} | ${percent(load[down] / sum(load))} | ${signIns} | ${percent(1 / (n + 1))} |`);
}
