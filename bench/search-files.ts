/**
 * Time of the tool `search_files` over this repository with its dependencies, compared with ripgrep with the same
 * arguments.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { rgPath } from "@vscode/ripgrep";

import { systemClock } from "../src/base/clock.ts";
import { asId, type CallId, type SessionId } from "../src/base/ids.ts";
import { silentLog } from "../src/base/log/log.ts";
import type { WideContext } from "../src/contracts/tool/tool.ts";
import { createFileReads } from "../src/kernel/file-reads.ts";
import searchTool from "../src/tools/files/search-files.tool.ts";
import { everyFile } from "../src/tools/files/search/file-filter.ts";
import { pipedEngine } from "../src/tools/files/search/piped-engine.ts";
import { runnerIn } from "../src/tools/files/search/search-command.ts";
import { openLocal } from "./support/local.ts";
import { interleaved, median, report, rounded } from "./support/measure.ts";

const isQuick = process.argv.includes("--quick");
/** A quick run searches one folder. */
const root = join(dirname(import.meta.dirname), isQuick ? "src/tools" : "");
const run = promisify(execFile);
const signal = new AbortController().signal;
const home = await mkdtemp(join(tmpdir(), "hermes-bench-"));
try {
  await using environment = await openLocal(home);
  const context: WideContext = {
    environment,
    fileReads: createFileReads({ lines: 2000, lineChars: 2000, images: () => false }),
    sessionId: asId<SessionId>("ses_bench"),
    callId: asId<CallId>("call_bench"),
    origin: "model",
    principal: { id: "local:bench" },
    cwd: "/",
    effects: [{ kind: "read", path: root }],
    signal,
    clock: systemClock,
    log: silentLog,
    progress: () => {},
    printed: () => {},
    secrets: {},
  };

  async function search(pattern: string): Promise<number> {
    const prepared = await searchTool.prepare({ pattern, path: root, no_ignore: true, hidden: true });
    if (!prepared.ok) throw new Error(prepared.error.message);
    const result = await prepared.value.run(context);
    if (!result.ok) throw new Error(result.error.message);
    return Number(JSON.parse(JSON.stringify(result.value.data)).total_count);
  }

  async function ripgrep(pattern: string): Promise<number> {
    const args = ["--no-config", "--no-ignore", "--hidden", "--glob=!.git", "--json", "-e", pattern, "./"];
    const ran = await run(rgPath, args, { cwd: root, maxBuffer: 2 ** 30 }).catch((thrown: unknown) => {
      if (thrown instanceof Error && "code" in thrown && thrown.code === 1) return { stdout: "" };
      throw thrown;
    });
    return ran.stdout.length;
  }

  for (const [name, pattern] of [
    ["some hits", "createServer"],
    ["no hits", "no[t]hing has this"],
    ["a pattern with many hits", "[a-z]+Error\\b"],
  ] as const) {
    if (!isQuick) await search(pattern);
    const times = await interleaved({ tool: () => search(pattern), rg: () => ripgrep(pattern) }, isQuick ? 1 : 15);
    const toolMs = median(times.tool);
    const rgMs = median(times.rg);
    const ratio = toolMs / rgMs;
    report("search-files", `${name}, compared with rg alone`, {
      toolMs: rounded(toolMs),
      rgMs: rounded(rgMs),
      ratio: rounded(ratio),
      limit: 1.5,
      holds: ratio <= 1.5,
    });
  }

  const place = { run: runnerIn(environment), clock: systemClock, signal, until: systemClock.elapsed() + 60_000 };
  const query = { pattern: "createServer", ignoreCase: false, multiline: false, context: 0 };
  const scope = { hidden: true, noIgnore: true, filter: everyFile };
  const startedAt = performance.now();
  const piped = await pipedEngine(place, rgPath).search({ folder: root, asked: "" }, query, scope, {
    offset: 0,
    limit: 50,
  });
  if (!piped.ok) throw new Error(piped.error.message);
  const ms = rounded(performance.now() - startedAt);
  report("search-files", "on a backend without rg (no limit)", {
    ms,
    files: piped.value.searched ?? 0,
    holds: piped.value.stopped === undefined,
  });
} finally {
  await rm(home, { recursive: true, force: true });
}
