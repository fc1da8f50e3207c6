/** Runs parts of a long conversation on request: `long-conversation.ts floor|ours URL SETTINGS`. */
import { join } from "node:path";

import type * as Library from "../../src/index.ts";

export interface ConversationStretch {
  readonly turns: number;
  readonly prompt: string;
}

/** Average processor time per turn in a stretch of turns, and the memory at its end. */
export interface StretchCost {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly heapBytes: number;
}

type Talk = (prompt: string) => Promise<unknown>;

const [, , who, url = "", settings = "{}"] = process.argv;
const talk = who === "floor" ? await talkOfFloor() : await talkOfHermes();

process.on("message", (stretch: ConversationStretch) => void go(stretch).then((took) => process.send?.(took)));
process.on("disconnect", () => process.exit());
process.send?.("ready");

async function go({ turns, prompt }: ConversationStretch): Promise<StretchCost> {
  const [cpu, startedAt] = [process.cpuUsage(), performance.now()];
  for (let turn = 0; turn < turns; turn++) await talk(`${turn} ${prompt}`);
  const { user, system } = process.cpuUsage(cpu);
  const wallMs = (performance.now() - startedAt) / turns;
  globalThis.gc?.();
  return { cpuMs: (user + system) / 1000 / turns, wallMs, heapBytes: process.memoryUsage().heapUsed };
}

async function talkOfFloor(): Promise<Talk> {
  process.argv.splice(2, Infinity, url);
  const file = join(import.meta.dirname, "floor.mjs");
  // floor.mjs is plain JavaScript, so its exports are declared here.
  return ((await import(file)) as { readonly answerTo: Talk }).answerTo;
}

async function talkOfHermes(): Promise<Talk> {
  const file = join(import.meta.dirname, "..", "..", "dist", "index.js");
  // The bundle of the same module.
  const { createRuntime } = (await import(file)) as typeof Library;
  const runtime = await createRuntime({ settings: JSON.parse(settings) });
  const session = await runtime.openSession({ source: "bench" });
  return async (text) => {
    const outcome = await session.prompt([{ type: "text", text }]).done;
    if (outcome.reason !== "answered") throw new Error(outcome.why ?? outcome.reason);
  };
}
