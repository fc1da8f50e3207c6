/**
 * Processor seconds that the tests of a folder may take together, with the programs that they start. A busy machine
 * changes processor time less than time on the clock; two cores have 1,200 processor seconds in ten minutes. A folder
 * that is not listed has the default.
 */
const budgetsSeconds: Readonly<Record<string, number>> = {
  "src/base": 8,
  "src/config": 8,
  "src/hosts": 55,
  "src/kernel": 6,
  "src/providers": 15,
  "src/runtime": 30,
  "src/safety": 15,
  "src/store": 30,
  "src/web": 8,
  "test/integration": 950,
  "loading the test files": 40,
};
const defaultBudgetSeconds = 4;

/** The integration tests that take longest. They start first, so that the run does not end with one of them alone. */
export const slowestFiles = [
  "bench",
  "plugin-walls",
  "browser-tasks",
  "package",
  "daytona-environment",
  "modal-environment",
  "ssh-environment",
  "singularity-environment",
  "screen-states",
  "canary",
  "agent-faults",
  "plugins-command",
  "bundled-skills",
  "launcher",
  "backup",
  "code-faults",
  "local-environment",
  "mount-races",
  "isolation",
  "execute-code",
  "session-search",
  "update",
  "terminal-tool",
].map((name) => `test/integration/${name}.test.ts`);

/** The files in the order in which they start: the slowest first, the others in the order given. */
export function slowestFirst(files: readonly string[]): readonly string[] {
  const first = slowestFiles.filter((file) => files.includes(file));
  return [...first, ...files.filter((file) => !first.includes(file))];
}

/** Lines with the processor time of each folder of tests beside its budget, slowest first, and the slowest files. */
export function timeReport(timesMs: Readonly<Record<string, number>>): readonly string[] {
  const folders = new Map<string, number>();
  for (const [file, ms] of Object.entries(timesMs)) {
    const folder = folderOf(file);
    folders.set(folder, (folders.get(folder) ?? 0) + ms);
  }
  const folderLines = byTime([...folders]).map(([folder, ms]) => {
    const budget = budgetsSeconds[folder] ?? defaultBudgetSeconds;
    const over = ms > budget * 1000 ? "  over budget" : "";
    return `${seconds(ms)} of ${String(budget).padStart(3)} s  ${folder}${over}`;
  });
  const fileLines = byTime(Object.entries(timesMs))
    .slice(0, 5)
    .map(([file, ms]) => `${seconds(ms)}           ${file}`);
  return ["Processor time of the tests by folder, and its budget:", ...folderLines, "Slowest files:", ...fileLines];
}

function folderOf(file: string): string {
  // Tests in test/support are suites that several integration tests share.
  if (file.startsWith("test/support/")) return "test/integration";
  const parts = file.split("/");
  return parts.slice(0, parts.length > 2 ? 2 : 1).join("/");
}

function byTime(times: readonly (readonly [string, number])[]): readonly (readonly [string, number])[] {
  return times.toSorted(([, a], [, b]) => b - a);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1).padStart(7);
}
