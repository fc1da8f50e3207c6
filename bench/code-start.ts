/**
 * Time from the request to the first line of a script, in Python and TypeScript, with and without confinement, compared
 * with the bare interpreter; also the second script of a kernel compared with the first.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { CodeRunLanguage } from "../src/contracts/code/code-run.ts";
import { type KernelRig, kernelRig } from "../test/support/kernel-rig.ts";
import { missingPrograms } from "../test/support/system-programs.ts";
import { interleaved, median, report, rounded } from "./support/measure.ts";

const quick = process.argv.includes("--quick");
const rounds = quick ? 1 : 25;

const scripts: Readonly<
  Record<CodeRunLanguage, { readonly file: string; readonly code: string; readonly bare: string }>
> = {
  python: { file: "script.py", code: `print("first line")\n`, bare: `print("first line")\n` },
  typescript: {
    file: "script.mjs",
    code: `const line: string = "first line";\nconsole.log(line);\n`,
    bare: `const line = "first line";\nconsole.log(line);\n`,
  },
};
const limits = { unconfined: { python: 1.5, typescript: 1.7 }, confined: { python: 2, typescript: 2 } } as const;

const folder = mkdtempSync(join(tmpdir(), "hermes-bench-"));
const python = realPython();
try {
  // A search path without the sandbox program, so that scripts run unconfined.
  const programs = join(folder, "bin");
  mkdirSync(programs);
  symlinkSync(process.execPath, join(programs, "node"));
  if (python !== undefined) symlinkSync(python, join(programs, "python3"));
  for (const { file, bare } of Object.values(scripts)) writeFileSync(join(folder, file), bare);
  await using unconfined = await kernelRig({}, programs);
  await using confined = missingPrograms({ bwrap: "bubblewrap" }) === false ? await kernelRig() : undefined;
  if ((await unconfined.code.unconfined()) === undefined)
    throw new Error("The scripts that should run unconfined are confined.");
  for (const language of python === undefined ? (["typescript"] as const) : (["python", "typescript"] as const)) {
    await measureStart(language, { unconfined, ...(confined && { confined }) });
    await measureKernel(language, confined ?? unconfined);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measureStart(
  language: CodeRunLanguage,
  rigs: { readonly unconfined: KernelRig; readonly confined?: KernelRig },
): Promise<void> {
  const ways = Object.entries(rigs).map(([way, rig]) => [way, async () => firstLineMs(rig, language)] as const);
  const times: Record<string, number[]> = {};
  const timed = (name: string, work: () => Promise<number>) => async () => {
    (times[name] ??= []).push(await work());
  };
  const contenders = Object.fromEntries([
    ["bare", timed("bare", () => bareMs(language))],
    // Hermes loads the module `site` of Python only for packages.
    ...(language === "python" ? [["withoutSite", timed("withoutSite", () => bareMs(language, "-S"))] as const] : []),
    ...ways.map(([way, work]) => [way, timed(way, work)] as const),
  ]);
  // The first script of a session also looks for the interpreter and the sandbox, so it is not measured.
  await interleaved(contenders, quick ? 1 : 3);
  for (const name of Object.keys(times)) times[name] = [];
  await interleaved(contenders, rounds);
  const bare = median(times["bare"] ?? []);
  for (const way of ["unconfined", "confined"] as const) {
    const ms = median(times[way] ?? []);
    if (Number.isNaN(ms)) continue;
    const limit = limits[way][language];
    report(
      "code-start",
      `${language}, ${way}: from the request to the first line, compared with the bare interpreter`,
      {
        ms: rounded(ms, 1),
        bareMs: rounded(bare, 1),
        ratio: rounded(ms / bare, 2),
        ...(times["withoutSite"] && { ratioToBareWithoutSite: rounded(ms / median(times["withoutSite"]), 2) }),
        limit,
        holds: ms / bare <= limit,
      },
    );
  }
}

async function measureKernel(language: CodeRunLanguage, rig: KernelRig): Promise<void> {
  const { code } = scripts[language];
  const [first, second]: [number[], number[]] = [[], []];
  for (let round = 0; round < (quick ? 1 : 9); round++) {
    const started = performance.now();
    await runOk(rig, language, code, true);
    const between = performance.now();
    await runOk(rig, language, code.replaceAll("line", "word"), true);
    first.push(between - started);
    second.push(performance.now() - between);
    await rig.code.kill(rig.kernel().id);
  }
  const ratio = median(second) / median(first);
  report("code-start", `${language} kernel: the second script compared with the first`, {
    firstMs: rounded(median(first), 1),
    secondMs: rounded(median(second), 2),
    ratio: rounded(ratio, 3),
    limit: 0.1,
    holds: ratio <= 0.1,
  });
}

async function firstLineMs(rig: KernelRig, language: CodeRunLanguage): Promise<number> {
  const startedAt = performance.now();
  let printedAt = Number.NaN;
  await runOk(rig, language, scripts[language].code, false, () => (printedAt ||= performance.now()));
  return printedAt - startedAt;
}

async function runOk(
  rig: KernelRig,
  language: CodeRunLanguage,
  code: string,
  isKernel: boolean,
  printed: () => void = () => {},
): Promise<void> {
  const ran = await rig.run(language, code, { isKernel, printed });
  if (ran.status !== "success") throw new Error(`${ran.errors} ${ran.hint ?? ""}`);
}

/** The path of the real interpreter. The first `python3` in the search path may be a wrapper script. */
function realPython(): string | undefined {
  const { status, stdout } = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

async function bareMs(language: CodeRunLanguage, ...flags: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(language === "python" ? (python ?? "python3") : process.execPath, [
    ...flags,
    join(folder, scripts[language].file),
  ]);
  const printedAt = await new Promise<number>((resolve, reject) => {
    child.stdout.once("data", () => resolve(performance.now()));
    child.once("error", reject);
  });
  await new Promise((resolve) => child.once("close", resolve));
  return printedAt - startedAt;
}
