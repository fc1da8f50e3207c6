import { join } from "node:path";

import { runProgram } from "./run-program.ts";

export interface Scenario {
  readonly name: string;
  /** Whether the scenario belongs to a dated protocol version; otherwise it is a draft or an extension. */
  readonly isDated: boolean;
  /** Passed according to the suite, with at least one successful check. */
  readonly hasPassed: boolean;
}

/** The server scenarios of the protocol's own conformance suite. */
export function serverScenarios(modules: string, url: string, suite: "all" | "pending"): Promise<readonly Scenario[]> {
  return scenarios(modules, "server", ["--suite", suite, "--url", url]);
}

/**
 * The client scenarios of the suite. The suite appends the URL of its server to the command and starts all in
 * parallel. Some scenarios check times, which may fail on a busy machine, so a failed scenario runs once more, alone.
 */
export async function clientScenarios(modules: string, command: string, suite: string): Promise<readonly Scenario[]> {
  const args = ["--command", command, "--timeout", "120000"];
  const results = await scenarios(modules, "client", ["--suite", suite, ...args]);
  const again: Scenario[] = [];
  for (const scenario of results) {
    const alone = ["client", "--scenario", scenario.name, ...args];
    const passes = async (): Promise<boolean> =>
      (await runProgram(process.execPath, [suiteIn(modules), ...alone], { timeoutMs: 150_000 })).code === 0;
    again.push(scenario.hasPassed ? scenario : { ...scenario, hasPassed: await passes() });
  }
  return again;
}

function suiteIn(modules: string): string {
  return join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js");
}

async function scenarios(modules: string, side: string, args: readonly string[]): Promise<readonly Scenario[]> {
  const suite = suiteIn(modules);
  // The programs need a second to load.
  const [{ stdout: list }, { stdout, stderr }] = await Promise.all([
    runProgram(process.execPath, [suite, "list", `--${side}`]),
    // The suite ends with an error when a scenario fails.
    runProgram(process.execPath, [suite, side, ...args], { timeoutMs: 300_000 }),
  ]);
  const versions = new Map([...list.matchAll(/^ {2}- (\S+) \[(.+)\]$/gmu)].map(([, name, dates]) => [name, dates]));
  const results = [...stdout.slice(stdout.indexOf("SUMMARY ===")).matchAll(/^(.) (\S+): (\d+) passed/gmu)];
  if (results.length === 0) throw new Error(`The conformance suite did not finish: ${stdout}${stderr}`);
  return results.map(([, mark, name = "", passed]) => ({
    name,
    isDated: /\d{4}-\d\d-\d\d/u.test(versions.get(name) ?? ""),
    hasPassed: mark === "✓" && Number(passed) > 0,
  }));
}
