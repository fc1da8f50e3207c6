import { basename } from "node:path";

import type { StdioTarget } from "../../contracts/mcp/server-entry.ts";

/** A package that a program such as npx downloads and runs. */
export interface RunPackage {
  readonly runner: string;
  readonly ecosystem: "npm" | "PyPI";
  readonly name: string;
  /** The exact version; undefined if the newest one is fetched when the server starts. */
  readonly version?: string;
}

/** The package that a command downloads and runs; undefined if it runs no package or a local folder. */
export function packageOf({ command, args }: Pick<StdioTarget, "command" | "args">): RunPackage | undefined {
  const program = basename(command.replaceAll("\\", "/"))
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat|ps1)$/u, "");
  if (program === "env" || program === "cmd") {
    const inner = args.findIndex((arg) => !/^[\w]+=|^-|^\/[a-z]$/iu.test(arg));
    return inner < 0 ? undefined : packageOf({ command: args[inner] ?? "", args: args.slice(inner + 1) });
  }
  const line = [program, ...args.slice(0, 2)].join(" ");
  const runner = runners.find(({ words }) => line === words || line.startsWith(`${words} `));
  if (!runner) return undefined;
  const rest = args.slice(runner.words.split(" ").length - 1);
  const spec = specIn(rest, runner);
  if (spec === undefined || /^[./~]|^file:/u.test(spec)) return undefined;
  return {
    runner: runner.words,
    ecosystem: runner.ecosystem,
    ...(runner.ecosystem === "npm" ? npmPackage(spec) : pythonPackage(spec)),
  };
}

interface Runner {
  readonly words: string;
  readonly ecosystem: RunPackage["ecosystem"];
  /** Options that name the package, which is otherwise the first word. */
  readonly named: readonly string[];
  /** Other options that take the next word as their value. */
  readonly valued: readonly string[];
}

const npm = (words: string): Runner => ({
  words,
  ecosystem: "npm",
  named: ["-p", "--package"],
  valued: ["-c", "--call", "-w", "--workspace", "--registry", "--cache"],
});
const python = (words: string, named: string): Runner => ({
  words,
  ecosystem: "PyPI",
  named: [named],
  valued: ["-p", "--python", "--with", "--index", "--index-url", "--default-index", "--cache-dir", "--pip-args"],
});

const runners: readonly Runner[] = [
  ...["npx", "bunx", "bun x", "pnpx", "pnpm dlx", "yarn dlx", "npm exec", "npm x"].map(npm),
  ...["uvx", "uv tool run"].map((words) => python(words, "--from")),
  python("pipx run", "--spec"),
];

function specIn(args: readonly string[], { named, valued }: Runner): string | undefined {
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    const [option = "", value] = arg.split(/=(.*)/su, 2);
    if (named.includes(option)) return value ?? args[index + 1];
    if (valued.includes(arg)) index++;
    else if (!arg.startsWith("-")) return arg;
  }
  return undefined;
}

function npmPackage(spec: string): Pick<RunPackage, "name" | "version"> {
  const [, name = spec, version] = /^(@[^/]+\/[^@]+|[^@]+)(?:@(.*))?$/su.exec(spec) ?? [];
  return { name, ...(version !== undefined && /^v?\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/u.test(version) && { version }) };
}

function pythonPackage(spec: string): Pick<RunPackage, "name" | "version"> {
  const [, name = spec, version] = /^([\w.-]+)(?:\[[^\]]*\])?(?:==|@)?(.*)$/su.exec(spec) ?? [];
  return { name, ...(version !== undefined && /^\d+(?:\.\d+)+[\w.+]*$/u.test(version) && { version }) };
}
