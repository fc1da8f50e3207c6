// Counts the tests of a run and sums their processor time by file, for the closing lines of `npm test`.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

export default async function* tally(source) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failures = [];
  const timesMs = {};
  const loading = "loading the test files";
  let running = loading;
  let countedMs = 0;
  // Files run one after another, so everything since the last event belongs to the file of that event.
  const countTime = (file) => {
    const nowMs = processorMs();
    timesMs[file] = (timesMs[file] ?? 0) + nowMs - countedMs;
    countedMs = nowMs;
  };
  // The first test is reported before the files are loaded.
  process.once("tests-loaded", () => countTime(loading));
  // The test runner prints only the message of a rejection that nobody handles, and fails the run. The file whose test
  // started last left it behind.
  process.on("unhandledRejection", (reason) => {
    console.error(`${running}: unhandled rejection:`, reason);
    counts.failed += 1;
    failures.push(`${running}: unhandled rejection`);
  });
  for await (const { type, data } of source) {
    if (type !== "test:pass" && type !== "test:fail" && type !== "test:dequeue") continue;
    const file = relative(process.cwd(), data.file ?? "").replaceAll("\\", "/");
    countTime(running);
    if (type === "test:dequeue") {
      running = file;
      continue;
    }
    if (data.details.type === "suite") continue;
    if (type === "test:fail") {
      counts.failed += 1;
      failures.push(`${file}: ${data.name}`);
    } else counts[data.skip !== undefined || data.todo !== undefined ? "skipped" : "passed"] += 1;
  }
  countTime(running);
  yield JSON.stringify({ ...counts, failures, timesMs });
}

/** The processor time of this process and, on Linux, of its ended children. A busy machine does not change it. */
function processorMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + childrenMs();
}

function childrenMs() {
  if (process.platform !== "linux") return 0;
  const stat = readFileSync("/proc/self/stat", "utf8");
  // The name of the program, in brackets, can contain blanks. Fields 16 and 17 of `man proc_pid_stat`, in 1/100 s.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return 10 * (Number(fields[13]) + Number(fields[14]));
}
