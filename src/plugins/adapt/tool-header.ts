import type { Permissions } from "../../contracts/plugin/manifest.ts";
import type { ToolRegistration } from "../../contracts/plugin/registration.ts";
import { defaultTraits } from "../../contracts/tool/define-tool.ts";
import type { ToolHeader, ToolTraits } from "../../contracts/tool/tool.ts";

/** The static facts about a plugin's tool. They come from the stored registration: no code of the plugin runs. */
export function pluginToolHeader(registration: ToolRegistration, permissions: Permissions): ToolHeader {
  const { name, toolset, description, inputSchema, requiresEnv, emoji } = registration;
  return {
    name,
    toolset,
    description,
    inputSchema,
    needs: permissions.tools.length > 0 ? ["call"] : [],
    requiresEnv,
    traits: traitsOf(registration, permissions),
    emoji: emoji ?? "⚡",
  };
}

/** The time that Python Hermes allows a handler to run. */
const defaultTimeoutMs = 300_000;

/** Without write permissions, a call has no side effects and needs no approval. */
function traitsOf(
  { isForScripts, timeoutMs = defaultTimeoutMs, maxResultChars }: ToolRegistration,
  { write, net, exec, tools }: Permissions,
): ToolTraits {
  return {
    ...defaultTraits,
    readOnly: write.length === 0 && net.length === 0 && !exec && tools.length === 0,
    parallel: !exec && tools.length === 0,
    callers: isForScripts ? "both" : "model",
    untrusted: net.length > 0,
    timeoutMs,
    ...(maxResultChars !== undefined && { maxResultChars }),
  };
}
