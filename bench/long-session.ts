/**
 * A conversation of 500 turns and 2 MB: time and memory of a turn, compared with a minimal script that sends the same;
 * then a conversation that is compacted repeatedly.
 */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { nodeFlags } from "../scripts/setup.mjs";
import { startModelServer } from "../test/support/wire-servers/model-server.ts";
import type { RecordedRequest, ScriptedTurn } from "../test/support/wire-servers/turn.ts";
import type { ConversationStretch, StretchCost } from "./support/long-conversation.ts";
import { report, rounded } from "./support/measure.ts";
import { makeScene, type Scene } from "./support/programs.ts";

const quick = process.argv.includes("--quick");
const stretches = quick ? 3 : 10;
const turns = quick ? 3 : 50;
/** A prompt and its answer are 4 KB: 500 turns are 2 MB. */
const prompt = "some words of a task ".repeat(95);
const reply = "some words of an answer ".repeat(85);

await using server = await startModelServer({ protocol: "openai-chat", turns: answer, record: false });
await wholeHistory();
await shortened();

function answer({ json, body }: RecordedRequest): ScriptedTurn {
  // A summary request offers no tools.
  const isSummary = !Array.isArray(json["tools"]) || json["tools"].length === 0;
  return {
    text: isSummary ? "## Goal\nTo talk for a long time." : reply,
    usage: { input: Math.ceil(body.length / 4), output: 500 },
  };
}

async function wholeHistory(): Promise<void> {
  using scene = makeScene(server.url);
  const [ours, floor] = [
    await begin("ours", scene, { "model.context_length": 10_000_000 }),
    await begin("floor", scene),
  ];
  const took: { readonly ours: StretchCost; readonly floor: StretchCost }[] = [];
  for (let index = 0; index < stretches; index++) took.push({ ours: await next(ours), floor: await next(floor) });
  for (const child of [ours, floor]) child.disconnect();
  // Skips the first stretch, because Node has not optimized the code yet.
  const [early, late] = [took[1], took.at(-1)];
  if (!early || !late) throw new Error("too few stretches");
  const grown = { ours: late.ours.cpuMs - early.ours.cpuMs, floor: late.floor.cpuMs - early.floor.cpuMs };
  report("long-session", `${stretches * turns} turns: growth of the processor time of a turn`, {
    earlyMs: rounded(early.ours.cpuMs, 2),
    lateMs: rounded(late.ours.cpuMs, 2),
    floorEarlyMs: rounded(early.floor.cpuMs, 2),
    floorLateMs: rounded(late.floor.cpuMs, 2),
    ratio: rounded(grown.ours / grown.floor, 2),
    limit: 1.5,
    holds: grown.ours <= 1.5 * grown.floor,
  });
  const sent = (prompt.length + reply.length) * turns * (stretches - 2);
  const held = late.ours.heapBytes - early.ours.heapBytes;
  report("long-session", `${stretches * turns} turns: growth of memory`, {
    mb: rounded(held / 1e6, 2),
    floorMb: rounded((late.floor.heapBytes - early.floor.heapBytes) / 1e6, 2),
    saidMb: rounded(sent / 1e6, 2),
    ratio: rounded(held / sent, 2),
    limit: 2,
    holds: held <= 2 * sent,
  });
}

/** The window is full about every twenty turns. */
async function shortened(): Promise<void> {
  using scene = makeScene(server.url);
  const child = await begin("ours", scene, { "model.context_length": 64_000 });
  const took: StretchCost[] = [];
  for (let index = 0; index < stretches; index++) took.push(await next(child));
  child.disconnect();
  // After the first stretches the window has been full at least once, so compaction has run.
  const after = took.slice(Math.ceil(stretches / 4));
  const half = Math.floor(after.length / 2);
  for (const [what, of] of [
    ["processor time of a turn", ({ cpuMs }: StretchCost) => cpuMs],
    ["memory", ({ heapBytes }: StretchCost) => heapBytes / 1e6],
  ] as const) {
    const [first, second] = [after.slice(0, half), after.slice(-half)].map((part) => average(part.map(of)));
    if (first === undefined || second === undefined) continue;
    report("long-session", `${stretches * turns} turns with compaction: ${what}`, {
      first: rounded(first, 2),
      second: rounded(second, 2),
      ratio: rounded(second / first, 2),
      limit: 1.2,
      holds: second <= first * 1.2,
    });
  }
}

async function begin(who: "ours" | "floor", scene: Scene, settings: object = {}): Promise<ChildProcess> {
  const child = fork(
    join(import.meta.dirname, "support", "long-conversation.ts"),
    [who, server.url, JSON.stringify(settings)],
    {
      cwd: scene.folder,
      env: scene.env,
      execArgv: [...nodeFlags, "--expose-gc"],
    },
  );
  await once(child, "message");
  return child;
}

function next(child: ChildProcess): Promise<StretchCost> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`the conversation process exited with ${code}`));
    child.once("exit", ended);
    child.once("message", (took) => {
      child.off("exit", ended);
      // The cast is safe: long-conversation.ts sends messages of this type.
      resolve(took as StretchCost);
    });
    child.send({ turns, prompt } satisfies ConversationStretch);
  });
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
