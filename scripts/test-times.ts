/**
 * Seconds that the tests of a folder may take together on two idle cores, where six jobs run beside each other: the
 * checks, groups of unit tests, integration files. Within these budgets `npm test` takes twelve minutes on the clock. A
 * folder that is not listed has the default.
 */
const budgetsSeconds: Readonly<Record<string, number>> = {
  "src/base": 15,
  "src/checkpoints": 8,
  "src/config": 21,
  "src/hosts": 120,
  "src/kernel": 14,
  "src/plugins": 8,
  "src/providers": 23,
  "src/runtime": 9,
  "src/safety": 51,
  "src/skills": 8,
  "src/store": 38,
  "src/tools": 12,
  "test/integration": 3600,
};
const defaultBudgetSeconds = 6;

/** The integration tests that take longest. They start first, so that the run does not end with one of them alone. */
export const slowestFiles = [
  "bench",
  "session-containers",
  "plugin-walls",
  "browser-tasks",
  "package",
  "docker-environment",
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
].map((name) => `test/integration/${name}.test.ts`);

/** The files in the order in which they start: the slowest first, the others in the order given. */
export function slowestFirst(files: readonly string[]): readonly string[] {
  const first = slowestFiles.filter((file) => files.includes(file));
  return [...first, ...files.filter((file) => !first.includes(file))];
}

/** Lines with the time of each folder of tests beside its budget, slowest first, and the slowest files. */
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
  return ["Time of the tests by folder, and its budget:", ...folderLines, "Slowest files:", ...fileLines];
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
