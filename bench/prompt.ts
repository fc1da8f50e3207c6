/** Bytes before the messages of the first request, and whether later requests keep their prefix. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { systemClock as clock } from "../src/base/clock.ts";
import { createHttp } from "../src/base/http/http-client.ts";
import { isObject, type JsonObject, type JsonValue } from "../src/base/json.ts";
import { err } from "../src/base/result.ts";
import { type Protocol, protocols } from "../src/providers/endpoint.ts";
import { playPrefixSession, visitor } from "../test/support/prefix-session.ts";
import { runtimeRig } from "../test/support/runtime-rig.ts";
import { tempHome } from "../test/support/temp-home.ts";
import { wireModel } from "../test/support/wire-model.ts";
import { startModelServer } from "../test/support/wire-servers/model-server.ts";
import { report, rounded } from "./support/measure.ts";

const declined = err({ reason: "declined" } as const);
const quick = process.argv.includes("--quick");

const measured = quick ? (["anthropic-messages"] as const) : protocols;
for (const protocol of measured) {
  await measureFirst(protocol, 0, 10_240);
  await measureFirst(protocol, 100, 12_288);
}
const turns = quick ? 6 : 100;
for (const protocol of measured) {
  const { requests, marked, unchanged } = await playPrefixSession(turns, protocol);
  const percent = (100 * unchanged) / marked;
  report("prompt", `${turns} turns, ${protocol}: unchanged bytes before the last cache mark`, {
    requests,
    bytes: marked,
    percent: rounded(percent, 3),
    limit: 100,
    holds: unchanged === marked,
  });
}

/** `more`: additional tools besides the default ones, half of them from five servers. */
async function measureFirst(protocol: Protocol, more: number, limit: number): Promise<void> {
  await using home = await tempHome();
  const cwd = join(home.path, "project");
  await mkdir(cwd);
  await using server = await startModelServer({ protocol, turns: [{ text: "Hello." }] });
  using http = createHttp({ clock });
  const model = wireModel({ providerId: "scripted", protocol, baseUrl: server.url, key: "k" }, http);
  await using runtime = await runtimeRig({ folder: home.path, cwd, model, settings: { toolsets: ["all"] } });
  for (let index = 0; index < more; index++) {
    const from = index < more / 2 ? `server-${index % 5}` : undefined;
    runtime.registry.add(
      visitor(`far_away_${index}`),
      from === undefined ? { kind: "builtin" } : { kind: "mcp", server: from },
    );
  }
  // `clarify` is sent only if a person can answer.
  const asker = { ask: async () => declined, fillIn: async () => declined };
  await using session = await runtime.openSession({ source: "cli", asker });
  await session.prompt([{ type: "text", text: "hello" }]).done;
  const body = server.requests[0]?.json ?? {};
  const system = bytesOf(systemOf(body));
  const tools = bytesOf(body["tools"]);
  const names = toolsOf(body).map(nameOf);
  const script = toolsOf(body).find((tool) => nameOf(tool) === "execute_code");
  const isComplete = ["execute_code", "delegate_task", "clarify"].every((name) => names.includes(name));
  report(
    "prompt",
    `first request, ${protocol}, ${more === 0 ? "default tools" : `${more / 2} more tools and ${more / 2} of 5 servers`}`,
    {
      systemBytes: system,
      toolBytes: tools,
      bytes: system + tools,
      limit,
      executeCodeBytes: bytesOf(script),
      executeCodeLimit: 700,
      direct: names.length,
      deferred: session.catalog.deferred.length,
      holds: system + tools <= limit && bytesOf(script) <= 700 && isComplete,
    },
  );
}

function systemOf(body: JsonObject): unknown {
  const { system, instructions, systemInstruction, messages } = body;
  return system ?? instructions ?? systemInstruction ?? (Array.isArray(messages) ? messages[0] : undefined);
}

/** The tool definitions without the wrapping of the protocol. */
function toolsOf({ tools }: JsonObject): readonly JsonValue[] {
  const list = Array.isArray(tools) ? tools : [];
  const declared = isObject(list[0]) ? list[0]["functionDeclarations"] : undefined;
  return Array.isArray(declared) ? declared : list;
}

function nameOf(tool: JsonValue): string {
  const { name, function: inner } = isObject(tool) ? tool : {};
  const given = isObject(inner) ? inner["name"] : name;
  return typeof given === "string" ? given : "";
}

function bytesOf(part: unknown): number {
  return part === undefined ? 0 : Buffer.byteLength(JSON.stringify(part));
}
