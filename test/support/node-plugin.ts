import assert from "node:assert/strict";

import type { PluginRegistration } from "../../src/contracts/plugin/registration.ts";
import type { PluginRequests } from "../../src/contracts/plugin/wire.ts";
import type { ToolResult } from "../../src/contracts/tool/tool-result.ts";
import { readRegistration } from "../../src/plugins/registration/read-registration.ts";
import { nodeRunner, type PluginRig, pluginRig, type RigOptions } from "./plugin-rig.ts";

export const { signal } = new AbortController();

export function start(code: string, options: RigOptions = {}): Promise<PluginRig> {
  return pluginRig(code, { start: nodeRunner, entry: "index.ts", ...options });
}

/** A plugin whose `setup` returns these parts. */
export function plugin(parts: string, before = ""): string {
  return `import { defineHook, definePlugin, defineTool, fail, json, text, z } from "hermes-agent-ts/plugin";
${before}
export default definePlugin({ setup(host) { return ${parts}; } });`;
}

export async function load(rig: PluginRig): Promise<PluginRegistration> {
  const loaded = await rig.client.request("load", {} as never, { signal });
  assert.ok(loaded.ok, JSON.stringify(loaded));
  const read = readRegistration(loaded.value, rig.plugin.folder);
  assert.ok(read.ok);
  return read.value;
}

export async function refusal(rig: PluginRig): Promise<string> {
  const loaded = await rig.client.request("load", {} as never, { signal });
  assert.ok(!loaded.ok, "it should not load");
  return loaded.error.message;
}

export async function request<M extends keyof PluginRequests>(
  { client }: PluginRig,
  method: M,
  params: PluginRequests[M]["params"],
): Promise<unknown> {
  const answer = await client.request(method, params, { signal, timeoutMs: 20_000 });
  assert.ok(answer.ok, JSON.stringify(answer));
  return answer.value;
}

/** The text of a tool's result. */
export async function toolText(rig: PluginRig, name: string, args: object = {}): Promise<string> {
  const answer = await rig.call(name, args);
  assert.ok(answer.ok, JSON.stringify(answer));
  // The runner sends a `ToolResult`.
  const result = answer.value as ToolResult;
  if (!result.ok) return `failed: ${result.error.message}`;
  const [part] = result.value.content;
  return part?.type === "text" ? part.text : "";
}
