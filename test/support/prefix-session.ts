import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { z } from "zod";

import { type Clock, systemClock } from "../../src/base/clock.ts";
import { createHttp } from "../../src/base/http/http-client.ts";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import { isObject } from "../../src/base/json.ts";
import type { Runtime, Session } from "../../src/contracts/session/runtime.ts";
import { defineTool } from "../../src/contracts/tool/define-tool.ts";
import { text } from "../../src/contracts/tool/tool-result.ts";
import type { Tool } from "../../src/contracts/tool/tool.ts";
import type { Protocol } from "../../src/providers/endpoint.ts";
import { runtimeRig } from "./runtime-rig.ts";
import { tempHome } from "./temp-home.ts";
import { wireModel } from "./wire-model.ts";
import { startModelServer } from "./wire-servers/model-server.ts";

export interface PrefixReport {
  readonly requests: number;
  /**
   * Bytes before the last cache mark over all requests except the first, and how many of them equal the previous
   * request.
   */
  readonly marked: number;
  readonly unchanged: number;
}

const hour = 3_600_000;

/**
 * A session over HTTP with everything that must not change the prefix: changing tools, steering, midnights, and a
 * resume with other tools.
 */
export async function playPrefixSession(turns: number, protocol: Protocol): Promise<PrefixReport> {
  await using home = await tempHome();
  await mkdir(join(home.path, "project"));
  let offset = 0;
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + offset };
  await using server = await startModelServer({
    protocol,
    turns: (_, number) =>
      number % 2 === 0
        ? { text: "I look.", calls: [{ id: `call_${number}`, name: "todo", args: {} }] }
        : { text: `Answer ${number}.` },
  });
  using http = createHttp({ clock: systemClock });
  const model = wireModel({ providerId: "scripted", protocol, baseUrl: server.url, key: "k" }, http);
  const open = async () =>
    runtimeRig({
      folder: home.path,
      cwd: join(home.path, "project"),
      model,
      clock,
      settings: { toolsets: ["all"] },
    });

  let runtime: Runtime = await open();
  let session = await runtime.openSession({ source: "cli" });
  let guest: Disposable | undefined;
  try {
    for (let index = 0; index < turns; index++) {
      guest = comeOrGo(runtime, guest, index);
      const turn = session.prompt([{ type: "text", text: `Question ${index}` }]);
      if (index % 5 === 3) session.steer([{ type: "text", text: `and also ${index}` }]);
      await turn.done;
      offset += 7 * hour;
      if (index % 20 === 19) [runtime, session] = await reconnected(runtime, session, open);
    }
  } finally {
    await runtime[Symbol.asyncDispose]();
  }
  return compared(server.requests.map(({ json }) => json));
}

function comeOrGo({ registry }: Runtime, guest: Disposable | undefined, index: number): Disposable | undefined {
  if (index % 3 !== 0) return guest;
  guest?.[Symbol.dispose]();
  const added = registry.add(visitor(`visitor_${index}`), { kind: "mcp", server: "guests" });
  return added.ok ? added.value : undefined;
}

async function reconnected(
  runtime: Runtime,
  session: Session,
  open: () => Promise<Runtime>,
): Promise<[Runtime, Session]> {
  await runtime[Symbol.asyncDispose]();
  const next = await open();
  next.registry.add(visitor("todo_helper"), { kind: "mcp", server: "others" });
  return [next, await next.openSession({ source: "cli", resume: session.id })];
}

export function visitor(name: string): Tool {
  return defineTool({
    name,
    toolset: "mcp-guests",
    description: `Looks after the matter of ${name} in a system far away, with every option that it has.`,
    input: z.object({ subject: z.string().describe("What it is about"), deep: z.boolean().default(false) }),
    run: async () => text("done"),
  });
}

/** The blocks of a request before its messages end; `marks`: the blocks after which a cache may end. */
function blocksOf(body: JsonObject): { readonly blocks: readonly string[]; readonly last: number } {
  const messages = [body["messages"], body["input"], body["contents"]].find(Array.isArray) ?? [];
  const system = [body["system"], body["instructions"], body["systemInstruction"]].filter((part) => part !== undefined);
  const raw = [...list(body["tools"]), ...system.flatMap(list), ...messages.flatMap(contentBlocks)];
  const last = raw.findLastIndex((block) => isObject(block) && JSON.stringify(block).includes('"cache_control"'));
  return { blocks: raw.map(withoutMark), last: last === -1 ? raw.length - 1 : last };
}

function contentBlocks(message: JsonValue): readonly JsonValue[] {
  if (!isObject(message) || !Array.isArray(message["content"])) return [message];
  const { content, ...rest } = message;
  return list(content).map((block) => ({ ...rest, block }));
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

/** The mark itself moves; the marked blocks do not change. */
function withoutMark(block: JsonValue): string {
  return JSON.stringify(block, (key, value: unknown) => (key === "cache_control" ? undefined : value));
}

function compared(bodies: readonly JsonObject[]): PrefixReport {
  let marked = 0;
  let unchanged = 0;
  for (const [requestIndex, body] of bodies.entries()) {
    const next = bodies[requestIndex + 1];
    if (!next) break;
    const { blocks, last } = blocksOf(body);
    const after = blocksOf(next).blocks;
    const before = blocks.slice(0, last + 1);
    const firstOther = before.findIndex((block, index) => block !== after[index]);
    const same = firstOther === -1 ? before : before.slice(0, firstOther);
    marked += bytes(before);
    unchanged += bytes(same);
  }
  return { requests: bodies.length, marked, unchanged };
}

function bytes(blocks: readonly string[]): number {
  return blocks.reduce((sum, block) => sum + Buffer.byteLength(block), 0);
}
