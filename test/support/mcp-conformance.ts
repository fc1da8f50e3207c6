import { join } from "node:path";

import { runProgram } from "./run-program.ts";

export interface Scenario {
  readonly name: string;
  /** Whether the scenario belongs to a dated protocol version; otherwise it is a draft or an extension. */
  readonly isDated: boolean;
  /** Passed according to the suite, with at least one successful check. */
  readonly hasPassed: boolean;
}

/** The protocol's own conformance suite. */
export interface ConformanceSuite {
  readonly program: string;
  /** The protocol versions of each scenario. Without them, every scenario counts as dated. */
  readonly versions: ReadonlyMap<string, string> | undefined;
}

export async function openConformanceSuite(modules: string, readsVersions: boolean): Promise<ConformanceSuite> {
  const program = join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js");
  if (!readsVersions) return { program, versions: undefined };
  const { stdout } = await runProgram(process.execPath, [program, "list"], { timeoutMs: 300_000 });
  const lines = stdout.matchAll(/^ {2}- (\S+) \[(.+)\]$/gmu);
  return { program, versions: new Map(Array.from(lines, ([, name = "", versions = ""]) => [name, versions])) };
}

/** The server scenarios of the suite. */
export function serverScenarios(
  suite: ConformanceSuite,
  url: string,
  part: "all" | "pending",
): Promise<readonly Scenario[]> {
  return scenarios(suite, "server", ["--suite", part, "--url", url]);
}

/**
 * The client scenarios of the suite. The suite appends the URL of its server to the command and starts all in
 * parallel. Some scenarios check times, which may fail on a busy machine, so a failed scenario runs once more, alone.
 */
export async function clientScenarios(
  suite: ConformanceSuite,
  command: string,
  part: string,
): Promise<readonly Scenario[]> {
  const args = ["--command", command, "--timeout", "120000"];
  const results = await scenarios(suite, "client", ["--suite", part, ...args]);
  const again: Scenario[] = [];
  for (const scenario of results) {
    const alone = ["client", "--scenario", scenario.name, ...args];
    const passes = async (): Promise<boolean> =>
      (await runProgram(process.execPath, [suite.program, ...alone], { timeoutMs: 150_000 })).code === 0;
    again.push(scenario.hasPassed ? scenario : { ...scenario, hasPassed: await passes() });
  }
  return again;
}

async function scenarios(
  { program, versions }: ConformanceSuite,
  side: "server" | "client",
  args: readonly string[],
): Promise<readonly Scenario[]> {
  // The suite ends with an error when a scenario fails.
  const { stdout, stderr } = await runProgram(process.execPath, [program, side, ...args], { timeoutMs: 300_000 });
  const results = [...stdout.slice(stdout.indexOf("SUMMARY ===")).matchAll(/^(.) (\S+): (\d+) passed/gmu)];
  if (results.length === 0) throw new Error(`The conformance suite did not finish: ${stdout}${stderr}`);
  return results.map(([, mark, name = "", passed]) => ({
    name,
    isDated: versions === undefined || /\d{4}-\d\d-\d\d/u.test(versions.get(name) ?? ""),
    hasPassed: mark === "✓" && Number(passed) > 0,
  }));
}
