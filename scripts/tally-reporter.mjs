// Counts the tests of a run and sums their time by file, for the closing lines of `npm test`.
import { relative } from "node:path";

export default async function* tally(source) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failures = [];
  const timesMs = {};
  for await (const { type, data } of source) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    const file = relative(process.cwd(), data.file ?? "").replaceAll("\\", "/");
    if (data.nesting === 0) timesMs[file] = (timesMs[file] ?? 0) + data.details.duration_ms;
    if (data.details.type === "suite") continue;
    if (type === "test:fail") {
      counts.failed += 1;
      failures.push(`${file}: ${data.name}`);
    } else counts[data.skip !== undefined || data.todo !== undefined ? "skipped" : "passed"] += 1;
  }
  yield JSON.stringify({ ...counts, failures, timesMs });
}
