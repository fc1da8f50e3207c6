// Counts what a test run said, for the closing line of `npm test`.
export default async function* tally(source) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for await (const { type, data } of source) {
    if (data?.details?.type === "suite") continue;
    if (type === "test:pass") counts[data.skip !== undefined || data.todo !== undefined ? "skipped" : "passed"] += 1;
    if (type === "test:fail") counts.failed += 1;
  }
  yield JSON.stringify(counts);
}
