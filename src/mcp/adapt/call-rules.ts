import type { McpFault } from "../../contracts/mcp/connection.ts";
import type { McpServerEntry } from "../../contracts/mcp/server-entry.ts";
import type { Effect } from "../../contracts/tool/effect.ts";
import { fail, type FailureKind, type ToolResult } from "../../contracts/tool/tool-result.ts";
import type { ToolTraits } from "../../contracts/tool/tool.ts";

/** No time limit here: the connection limits the time of a call, and progress messages restart that limit. */
export function mcpTraits(
  entry: Pick<McpServerEntry, "name" | "trust" | "isParallel" | "isForScripts">,
  isReadOnly: boolean,
): ToolTraits {
  return {
    readOnly: isReadOnly && entry.trust === "full",
    parallel: entry.isParallel,
    callers: entry.isForScripts ? "both" : "model",
    untrusted: true,
    textSource: { kind: "mcp", name: entry.name },
    timeoutMs: Infinity,
  };
}

/** Uses the annotations of a tool only if the server is trusted. A call without annotations can have any effect. */
export function mcpEffects({ trust }: Pick<McpServerEntry, "trust">, isReadOnly: boolean): readonly Effect[] {
  if (trust === "full") return isReadOnly ? [] : [{ kind: "opaque" }];
  return [{ kind: "opaque", ...(!isReadOnly && { isAskedEachTime: true }) }];
}

export function faultResult({ kind, message, isSent }: McpFault): ToolResult {
  return fail(message, failureKinds[kind], { effect: isSent && kind !== "auth" ? "unknown" : "none" });
}

const failureKinds: Readonly<Record<McpFault["kind"], FailureKind>> = {
  transport: "unavailable",
  timeout: "timeout",
  aborted: "aborted",
  session: "unavailable",
  auth: "unavailable",
  server: "failed",
  malformed: "failed",
  off: "unavailable",
};
