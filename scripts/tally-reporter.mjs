// Counts the tests of a run and sums their time by file, for the closing lines of `npm test`.
import { relative } from "node:path";

export default async function* tally(source) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failures = [];
  const timesMs = {};
  let running = "loading the test files";
  // The test runner prints only the message of a rejection that nobody handles, and fails the run. Files run one after
  // another, so the file whose test started last left it behind.
  process.on("unhandledRejection", (reason) => {
    console.error(`${running}: unhandled rejection:`, reason);
    counts.failed += 1;
    failures.push(`${running}: unhandled rejection`);
  });
  for await (const { type, data } of source) {
    if (type !== "test:pass" && type !== "test:fail" && type !== "test:dequeue") continue;
    const file = relative(process.cwd(), data.file ?? "").replaceAll("\\", "/");
    if (type === "test:dequeue") {
      running = file;
      continue;
    }
    if (data.nesting === 0) timesMs[file] = (timesMs[file] ?? 0) + data.details.duration_ms;
    if (data.details.type === "suite") continue;
    if (type === "test:fail") {
      counts.failed += 1;
      failures.push(`${file}: ${data.name}`);
    } else counts[data.skip !== undefined || data.todo !== undefined ? "skipped" : "passed"] += 1;
  }
  yield JSON.stringify({ ...counts, failures, timesMs });
}
