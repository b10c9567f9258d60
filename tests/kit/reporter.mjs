// Writes Node's test events as JSON lines for tests/run: one line per test, and one for a file that could
// not be run at all.

export default async function* report(source) {
  for await (const { type, data } of source) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    if (data.details?.type === "suite") continue;
    if (data.todo !== undefined || data.skip !== undefined) {
      yield `${JSON.stringify({ skipped: data.name, why: data.skip || data.todo })}\n`;
      continue;
    }
    // A test with subtests is counted by its subtests, unless it failed by itself.
    const error = data.details?.error;
    if (type === "test:fail" && error?.failureType === "subtestsFailed") continue;
    yield `${JSON.stringify({
      name: data.name,
      passed: type === "test:pass",
      ms: Math.round(data.details?.duration_ms ?? 0),
      error: type === "test:fail" ? describe(error) : undefined,
    })}\n`;
  }
}

function describe(error) {
  const cause = error?.cause ?? error;
  if (cause === undefined || cause === null) return "failed without saying why";
  return typeof cause === "string" ? cause : cause.stack ?? cause.message ?? JSON.stringify(cause);
}
