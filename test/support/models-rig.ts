import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { type Clock, systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { ModelClient, ModelEvent, ModelRequest } from "../../src/contracts/model/model.ts";
import { type Models, openModels } from "../../src/runtime/models/models.ts";
import { tempHome } from "./temp-home.ts";

export interface ModelsRig extends AsyncDisposable {
  readonly models: Models;
  readonly home: string;
  /** The same state after a restart of the program. */
  again(): Promise<Models>;
  /** The file with keys and their cooldowns. */
  readonly credentials: string;
}

/** A clock that runs fifty times faster, for back-offs and timeouts. */
const hurriedClock: Clock = {
  now: systemClock.now,
  elapsed: systemClock.elapsed,
  after: (ms, run) => systemClock.after(ms / 50, run),
};

/** Models as a user's home and environment give them. */
export async function modelsRig(
  config: string,
  env: Readonly<Record<string, string>> = {},
  clock: Clock = hurriedClock,
  say: (sentence: string) => void = () => {},
): Promise<ModelsRig> {
  const user = await tempHome();
  const home = join(user.path, ".hermes");
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(home, "config.yaml"), config, { mode: 0o600 });
  const opened: Models[] = [];
  const open = async () => {
    const loaded = await loadConfig({ env: { HOME: user.path, ...env }, cwd: user.path });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
    const models = openModels(loaded.value, { clock, log: silentLog, random: () => 0.5, say });
    opened.push(models);
    return models;
  };
  return {
    models: await open(),
    home,
    again: open,
    credentials: join(home, "credentials.json"),
    async [Symbol.asyncDispose]() {
      for (const models of opened) await models[Symbol.asyncDispose]();
      await user[Symbol.asyncDispose]();
    },
  };
}

/** The result of one request: all events but deltas, the text, and how it ended. */
export interface ModelReply {
  readonly events: readonly ModelEvent[];
  readonly text: string;
  /** `retry: waiting …`, `rotate_key: …` and so on. */
  readonly decisions: readonly string[];
  readonly end: ModelEvent | undefined;
}

export async function ask(
  source: Models | ModelClient,
  request: Partial<Omit<ModelRequest, "model">> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelReply> {
  const client = "open" in source ? await opened(source) : source;
  const messages = [{ role: "user", content: [{ type: "text", text: "hello" }] }] as const;
  const events: ModelEvent[] = [];
  let text = "";
  for await (const event of client.stream({ system: [], messages, tools: [], ...request }, signal)) {
    if (event.type === "text") text += event.delta;
    if (event.type === "failed" && event.next !== "give_up") text = "";
    events.push(event);
  }
  return {
    events,
    text,
    decisions: events.flatMap((event) => (event.type === "failed" ? [`${event.next}: ${event.how}`] : [])),
    end: events.at(-1),
  };
}

async function opened(models: Models): Promise<ModelClient> {
  const client = await models.open();
  if (!client.ok) throw new Error(client.error.message);
  return client.value;
}
