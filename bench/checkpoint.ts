/**
 * Time to record files: a tree of 2,000 files (first time, unchanged, five files changed), and one file before and
 * after a write. Also the disk use after 500 edits of a 100 KB file.
 */
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";

import { systemClock } from "../src/base/clock.ts";
import { asId } from "../src/base/ids.ts";
import { silentLog } from "../src/base/log/log.ts";
import { openLocalCheckpoints } from "../src/checkpoints/local-checkpoints.ts";
import type { WorkspaceCheckpoints } from "../src/checkpoints/workspace-checkpoints.ts";
import { median, report, rounded } from "./support/measure.ts";

const quick = process.argv.includes("--quick");
const rounds = quick ? 1 : 7;
const signal = new AbortController().signal;
const place = await mkdtemp(join(tmpdir(), "hermes-checkpoint-"));
try {
  await trees();
  await edits();
} finally {
  await rm(place, { recursive: true, force: true });
}

async function trees(): Promise<void> {
  const root = join(place, "tree");
  await makeTree(root, 2_000);
  const first: number[] = [];
  const unchanged: number[] = [];
  const changed: number[] = [];
  const one: number[] = [];
  let bytes = 0;
  for (let round = 0; round < rounds; round++) {
    const folder = join(place, `store-${round}`);
    await using files = open(folder, root);
    first.push(await recorded(files, [], true, async () => {}));
    unchanged.push(await recorded(files, [], true, async () => {}));
    await recorded(files, [], true, () => touch(root, 5, round));
    await touch(root, 5, round + 100);
    changed.push(await recorded(files, [], true, async () => {}));
    one.push(
      await recorded(files, ["folder-1/file-1.ts"], false, () =>
        appendFile(join(root, "folder-1", "file-1.ts"), "// x\n"),
      ),
    );
    bytes = await sizeOf(folder);
  }
  tell("2,000 files, the first time", median(first), 900);
  tell("2,000 files, nothing changed", median(unchanged), 60);
  tell("2,000 files, 5 changed", median(changed), 150);
  const oneMs = rounded(median(one), 2);
  report("checkpoint", "one of 2,000 files", {
    ms: oneMs,
    limitMs: 10,
    storeMb: rounded(bytes / 1e6, 1),
    holds: oneMs <= 10,
  });
}

async function edits(): Promise<void> {
  const root = join(place, "edits");
  const folder = join(place, "edits-store");
  await mkdir(root);
  const file = join(root, "long.ts");
  const lines = Array.from(
    { length: 2_000 },
    (_, index) => `export const value${index} = ${Math.imul(index, 2_654_435_761) >>> 0}; // note\n`,
  );
  await writeFile(file, lines.join(""));
  const files = open(folder, root);
  const turns = quick ? 20 : 500;
  const took: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    took.push(
      await recorded(files, ["long.ts"], false, async () => {
        lines.splice(
          (turn * 37) % lines.length,
          1,
          `export const changed${turn} = ${turn};\n`,
          `// another line ${turn}\n`,
        );
        await writeFile(file, lines.join(""));
      }),
    );
  }
  await files[Symbol.asyncDispose]();
  const bytes = (await sizeOf(folder)) * (500 / turns);
  report("checkpoint", "500 edits of one file", {
    fileKb: Math.round((await stat(file)).size / 1_000),
    mb: rounded(bytes / 1e6, 2),
    limitMb: 25,
    ms: rounded(median(took), 2),
    holds: bytes <= 25_000_000,
  });
}

function tell(what: string, ms: number, limitMs: number): void {
  report("checkpoint", what, { ms: rounded(ms, 1), limitMs, holds: ms <= limitMs });
}

function open(folder: string, root: string): WorkspaceCheckpoints {
  const limits = { fileBytes: 10_000_000, files: 50_000, bytes: Infinity, totalBytes: 1_000_000_000 };
  return openLocalCheckpoints({
    folder,
    root,
    isProject: true,
    excluded: [],
    limits,
    clock: systemClock,
    log: silentLog,
    say: () => {},
  });
}

/** The time that the call waits. The rest of the recording runs in the background. */
async function recorded(
  files: WorkspaceCheckpoints,
  paths: readonly string[],
  isWhole: boolean,
  change: () => Promise<void>,
): Promise<number> {
  const call = {
    callId: asId<never>("call"),
    sessionId: asId<never>("ses"),
    tool: "terminal",
    effects: [],
    place: { cwd: "/", backend: "local" },
  };
  const startedAt = performance.now();
  const started = await files.begin(call, { paths, isWhole, label: "bench" }, signal);
  const took = performance.now() - startedAt;
  if (!started.ok || !started.value) throw new Error(JSON.stringify(started));
  await change();
  const ended = await files.end(started.value, [], signal);
  if (!ended.ok) throw new Error(ended.error.message);
  return took;
}

async function makeTree(root: string, count: number): Promise<void> {
  const source = await readFile(new URL("../src/checkpoints/workspace-checkpoints.ts", import.meta.url), "utf8");
  for (let index = 0; index < count; index++) {
    const folder = join(root, `folder-${index % 50}`);
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, `file-${index}.ts`),
      `// ${index}\n${source.slice(0, 1_000 + ((index * 37) % 8_000))}`,
    );
  }
}

async function touch(root: string, count: number, round: number): Promise<void> {
  for (let index = 0; index < count; index++)
    await appendFile(join(root, `folder-${index}`, `file-${index}.ts`), `// ${round}\n`);
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
