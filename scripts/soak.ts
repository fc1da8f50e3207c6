/**
 * `npm run soak [-- --kills 1000] [--damages 200] [--mounts 2000] [--races 2000] [--reconnects 20] [--parents 20]
 * [--browsers 20] [--updates 50] [--streams 20]`: programs that write sessions are killed at random moments, and no acknowledged write
 * may be missing; then parts of the file are destroyed, and a repair must restore a consistent store and list the
 * losses. Then commands start in the sandbox while a confined process replaces the folders that it mounts, and none
 * reaches anything outside. Then a process swaps a folder for a link while files in it are used and approved commands
 * run, and nothing may happen where the link leads. In rounds of reconnects, an MCP server is killed a hundred times
 * with a call in flight, then the runtime: every call has a result, and no process is left. Then programs are killed
 * whose ten child agents are in every state: each child ends in one record, each report arrives once, and no process is
 * left. Then programs with three open pages are killed: no browser process, profile lock or temporary folder is left.
 * Then updates of an installed package are killed: the old or the new version starts, every time. At last terminals are
 * resized while answers stream: each word is in the scrollback once.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { systemClock as clock } from "../src/base/clock.ts";
import { removeTree } from "../src/base/files/remove-tree.ts";
import { repairStore } from "../src/store/salvage/repair-store.ts";
import { verifyStore } from "../src/store/verify-store.ts";
import { approvedCommands, raceApprovals } from "../test/support/approval-races.ts";
import { installPackage } from "../test/support/installed-package.ts";
import { killParent } from "../test/support/killed-agents.ts";
import { killBrowserOwner } from "../test/support/killed-browsers.ts";
import { killUpdate } from "../test/support/killed-updates.ts";
import { killWriters } from "../test/support/killed-writers.ts";
import { reconnectRound } from "../test/support/mcp-reconnects.ts";
import { mountRaces, raceMounts } from "../test/support/mount-races.ts";
import { raceCases } from "../test/support/race-cases.ts";
import { raceRemovals } from "../test/support/removal-races.ts";
import { resizeDuringStream } from "../test/support/resized-streams.ts";

const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    kills: { type: "string", default: "1000" },
    damages: { type: "string", default: "200" },
    mounts: { type: "string", default: "2000" },
    races: { type: "string", default: "2000" },
    reconnects: { type: "string", default: "20" },
    parents: { type: "string", default: "20" },
    browsers: { type: "string", default: "20" },
    updates: { type: "string", default: "50" },
    streams: { type: "string", default: "20" },
  },
});
if (values.help) {
  const parts = Object.entries(values).flatMap(([part, count]) => (part === "help" ? [] : [`[--${part} ${count}]`]));
  process.stdout.write(`npm run soak -- ${parts.join(" ")}\nThe numbers are the defaults; 0 leaves a part out.\n`);
  process.exit();
}
const atOnce = 5;
const never = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), "hermes-soak-"));
const say = (sentence: string) => void process.stdout.write(`${sentence}\n`);
try {
  const path = join(folder, "sessions.db");
  let acknowledged = 0;
  for (let kills = 0; kills < Number(values.kills); kills += atOnce) {
    acknowledged += await killWriters(path, atOnce, 400);
    if (kills % 100 === 0) {
      await requireWhole(path);
      say(`${kills + atOnce} kills: ${acknowledged} appends acknowledged, none lost`);
      // A store that grows forever makes every check slower.
      for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    }
  }
  if (Number(values.damages) > 0) {
    await killWriters(path, atOnce, 400);
    await requireWhole(path);
    await damage(path, Number(values.damages));
  }
  await replaceMounted(Number(values.mounts));
  await race(Number(values.races));
  await reconnect(Number(values.reconnects));
  await killParents(Number(values.parents));
  await killBrowsers(Number(values.browsers));
  await killUpdates(Number(values.updates));
  await resizeStreams(Number(values.streams));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Divides the tries among the kinds of races. */
async function replaceMounted(total: number): Promise<void> {
  const names = Object.keys(mountRaces);
  const tries = Math.ceil(total / names.length);
  for (const name of total > 0 ? names : []) {
    const { escapes, broken, refused } = await raceMounts(name, tries);
    if (escapes.length + broken.length > 0) throw new Error(`${name}: ${[...escapes, ...broken].join("\n")}`);
    say(`${name}: ${tries} commands, none escaped the sandbox, ${refused.length} refused`);
  }
}

async function race(tries: number): Promise<void> {
  for (const [name, run] of tries > 0 ? Object.entries(raceCases) : []) {
    const { leaks, escaped, done } = await run(tries);
    if (leaks > 0 || escaped.length > 0) throw new Error(`${name}: ${leaks} leaks, outside: ${escaped.join(", ")}`);
    say(`${name}: ${tries} attempts while the folder was swapped, ${done} succeeded, nothing changed outside`);
  }
  const losses = await raceRemovals(tries, removeTree);
  if (losses > 0) throw new Error(`removed trees: ${losses} times, files outside were deleted`);
  if (tries > 0) say(`removed trees: ${tries} while their folders were swapped, nothing deleted outside`);
  for (const command of tries > 0 ? approvedCommands : []) {
    const each = Math.ceil(tries / approvedCommands.length);
    const { escaped, done } = await raceApprovals(command, each);
    if (escaped.length > 0) throw new Error(`${command}: changed outside: ${escaped.join(", ")}`);
    say(`approved ${command}: ${each} tries against a swapped folder, ${done} succeeded, nothing changed outside`);
  }
}

async function reconnect(rounds: number): Promise<void> {
  const interruptions = 100;
  let calls = 0;
  for (let round = 1; round <= rounds; round++) {
    const result = await reconnectRound(interruptions);
    if (result.left > 0 || result.withoutResult > 0 || result.failures.length > 0 || result.running === 0)
      throw new Error(`MCP round ${round}: ${JSON.stringify(result)}`);
    calls += result.calls;
    say(
      `MCP round ${round}: ${interruptions} calls cut short, ${result.starts} server starts, runtime killed, no process left`,
    );
  }
  if (rounds > 0) say(`MCP: ${calls} calls, each with a result, and no process left`);
}

async function killParents(rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const afterMs = Math.floor(Math.random() * 2_500);
    const { faults, states } = await killParent(afterMs);
    if (faults.length > 0) throw new Error(`Agents, killed after ${afterMs} ms: ${faults.join("\n")}`);
    const lost = states.filter((state) => state === "lost").length;
    say(
      `agents round ${round}: parent killed after ${afterMs} ms, ${states.length} records, ${lost} lost, no process left`,
    );
  }
}

async function killBrowsers(rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    await killBrowserOwner(round % 2 === 0);
    if (round % 5 === 0 || round === rounds) say(`${round} programs with three open pages killed: nothing is left`);
  }
}

/** The first seed is random; a failure prints its seed. */
async function resizeStreams(rounds: number): Promise<void> {
  const first = Math.floor(Math.random() * 2 ** 31);
  for (let round = 1; round <= rounds; round++) {
    for (const terminal of ["xterm.js", "tmux"] as const) {
      const seed = first + round;
      const { faults, resizes, everything } = await resizeDuringStream(terminal, seed, 60);
      if (faults.length > 0) throw new Error(`${terminal}, seed ${seed}: ${faults.join(", ")}\n${everything}`);
      say(`stream ${round}, ${terminal}, seed ${seed}: ${resizes} resizes, each word is there once`);
    }
  }
}

async function killUpdates(rounds: number): Promise<void> {
  if (rounds === 0) return;
  const installed = await installPackage(folder);
  const files = { old: await installed.pack("100.0.0"), new: await installed.pack("100.0.1") };
  let wholeMs = await timed(() => installed.update(files.old));
  let active = "100.0.0";
  let switches = 0;
  for (let round = 1; round <= rounds; round++) {
    const target = active === "100.0.0" ? "100.0.1" : "100.0.0";
    // Three of four rounds install the version again; in the others it exists and is only checked.
    if (round % 4 !== 0) installed.remove(target);
    const after = (["start", "start", "place", "switch"] as const)[round % 4] ?? "start";
    const ms = Math.floor(Math.random() * (after === "start" ? wholeMs : after === "place" ? 400 : 20));
    const file = target === "100.0.0" ? files.old : files.new;
    const { version, fault, ended } = await killUpdate(installed, file, { after, ms }, Math.random() < 0.5);
    if (fault !== undefined || (version !== active && version !== target))
      throw new Error(`update killed ${ms} ms after ${after}: ${fault ?? `version ${version}`}`);
    if (version !== active) switches++;
    const outcome = `${version} starts (${version === active ? "old" : "new"})`;
    say(`update ${round}: ${ended ? "ended" : `killed ${ms} ms after its ${after}`}, ${outcome}`);
    if (ended) wholeMs *= 0.9;
    active = version;
  }
  await installed.update(active === "100.0.0" ? files.new : files.old);
  say(`${rounds} updates killed: the old or the new version started each time (${switches} had switched)`);
}

async function timed(run: () => Promise<void>): Promise<number> {
  const startedAt = clock.elapsed();
  await run();
  return clock.elapsed() - startedAt;
}

async function requireWhole(path: string): Promise<void> {
  const { problems } = await verifyStore(path, clock, never);
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

/**
 * Overwrites random ranges of bytes. The remaining entries and the reported losses together must equal the original
 * entries.
 */
async function damage(source: string, times: number): Promise<void> {
  const bytes = readFileSync(source);
  const { entries } = await verifyStore(source, clock, never);
  let minEntries = entries;
  for (let index = 1; index <= times; index++) {
    const path = join(folder, "damaged.db");
    const harmed = Buffer.from(bytes);
    const begin = Math.floor(Math.random() * harmed.length);
    const length = 1 + Math.floor(Math.random() ** 4 * 100_000);
    if (index % 2 === 0) harmed.fill(0, begin, Math.min(harmed.length, begin + length));
    else
      for (let byte = begin; byte < Math.min(harmed.length, begin + length); byte++) harmed[byte] = Math.random() * 256;
    writeFileSync(path, harmed);
    const repaired = await repairStore(path, { clock, principal: "me" }, never);
    if (!repaired.ok) {
      copyFileSync(path, join(tmpdir(), "hermes-soak-failed.db"));
      throw new Error(repaired.error.message);
    }
    await requireWhole(path);
    const lost = repaired.value.harmed.reduce((sum, session) => sum + session.lost, 0);
    minEntries = Math.min(minEntries, repaired.value.entries);
    const touched = Math.ceil(length / 4096) + 1;
    if (repaired.value.entries + lost < entries - touched * 60)
      throw new Error(`only ${lost} of ${entries} entries are listed as lost`);
    for (const file of [path, `${path}-wal`, `${path}-shm`, repaired.value.keptAs]) rmSync(file, { force: true });
  }
  say(
    `${times} damaged files repaired: at least ${minEntries} of ${entries} entries were restored, the others are listed as lost`,
  );
}
