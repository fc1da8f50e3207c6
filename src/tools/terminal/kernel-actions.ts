import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { CodeKernel, CodeRunner } from "../../contracts/code/code-run.ts";
import { fail, json, type ToolResult } from "../../contracts/tool/tool-result.ts";

/**
 * Handles kernels of `execute_code`, which have their own ids. They belong to the session, so no approval is needed.
 */
export function isKernelId(id: string): boolean {
  return id.startsWith("kernel_");
}

export function listedKernel({ id, language, pid, startedAt, scripts, isBusy, memoryBytes }: CodeKernel, now: number) {
  return {
    session_id: id,
    language,
    status: isBusy ? "busy" : "idle",
    pid,
    uptime_seconds: Math.round((now - startedAt) / 1000),
    scripts,
    memory_mb: Math.round(memoryBytes / 2 ** 20),
  } satisfies JsonObject;
}

/** Handles poll, kill, and write with Ctrl-C, which interrupts the script and keeps the variables. */
export async function actOnKernel(
  { action, data }: { readonly action: string; readonly data?: string | undefined },
  id: string,
  { code, clock }: { readonly code: CodeRunner; readonly clock: Clock },
): Promise<ToolResult> {
  const kernel = code.kernels().find((each) => each.id === id);
  if (!kernel) return fail(`There is no kernel ${id}; action list shows those of this session`);
  if (action === "poll") return json(listedKernel(kernel, clock.now()));
  if (action === "kill") {
    await code.kill(id);
    return json({
      session_id: id,
      status: "killed",
      note: "Its variables are lost. The next script starts another one.",
    });
  }
  if (action === "write" && data === "\u0003") {
    if (!code.interrupt(id)) return fail(`${id} is idle: there is nothing to interrupt`);
    return json({ session_id: id, status: "interrupted", note: "Its variables stay." });
  }
  return fail(`${id} is a kernel of execute_code: use poll, kill, or write with \\u0003 (interrupt)`, "invalid_args");
}
