// Writes under way while the database fails.

// Signs up users until it is stopped; records what was acknowledged and the longest time without success.
export function writers(w, count, prefix = "w") {
  const seen = { made: [], statuses: new Set(), longest: 0, last: performance.now() };
  let stopped = false;
  const running = Array.from({ length: count }, async (_, n) => {
    for (let i = 0; !stopped; i++) {
      const username = `${prefix}${n}-${i}`;
      const { status } = await w.signUp({ username });
      seen.statuses.add(status);
      if (status !== 303) continue;
      seen.made.push(username);
      seen.longest = Math.max(seen.longest, performance.now() - seen.last);
      seen.last = performance.now();
    }
  });
  return { seen, stop: () => ((stopped = true), Promise.all(running)) };
}
