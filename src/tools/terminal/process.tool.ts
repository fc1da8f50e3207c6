import { z } from "zod";

import type { ProcessHandle } from "../../contracts/environment/environment.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import type { Effect } from "../../contracts/tool/effect.ts";
import { fail, type ToolResult } from "../../contracts/tool/tool-result.ts";
import { actOnKernel, isKernelId } from "./kernel-actions.ts";
import {
  closeInput,
  kill,
  listProcesses,
  log,
  poll,
  type ProcessContext,
  resize,
  screen,
  type,
  wait,
} from "./process-actions.ts";

const callMs = 60_000;

const input = z.object({
  action: z.enum(["list", "poll", "log", "wait", "kill", "write", "submit", "close", "screen", "resize"]),
  session_id: z.string().optional().describe("All actions except list"),
  data: z.string().optional().describe("\\u0003 is Ctrl-C, \\u001b Escape"),
  timeout: z.number().positive().optional().describe("wait: seconds"),
  offset: z.int().min(0).optional().describe("log: first line, 0-based"),
  limit: z.int().min(1).max(5_000).default(200).describe("log: lines; list: processes"),
  columns: z.int().min(2).max(1_000).optional(),
  rows: z.int().min(2).max(500).optional(),
});

type Args = z.output<typeof input>;

export default defineTool({
  name: "process",
  toolset: "terminal",
  description:
    "Manage background processes. poll: status and new output; log: last lines, or lines from offset; wait: " +
    "until it exits or timeout; kill: with its children; write: type data; submit: the same and Enter; close: close its " +
    "input. With pty: screen, resize. Kernels of execute_code: list, poll, kill; write \\u0003 interrupts.",
  emoji: "⚙️",
  input,
  needs: ["processes", "commandDefaults", "code"],
  traits: { callers: "both", timeoutMs: ({ action }) => (action === "wait" ? Infinity : callMs) },
  effects: effectsOf,
  async run(args, context) {
    const { action } = args;
    if (action === "list") return listProcesses(args.limit, context);
    if (args.session_id === undefined || args.session_id.trim() === "") {
      return fail(`session_id: ${action} needs one; action list shows them`, "invalid_args");
    }
    const fault = missingArgument(args);
    if (fault !== undefined) return fail(fault, "invalid_args");
    if (isKernelId(args.session_id)) return actOnKernel(args, args.session_id, context);
    const match = await context.processes.find(args.session_id, context.signal);
    return match.ok ? act(action, args, match.value, context) : fail(match.error.message);
  },
});

function effectsOf({ action, session_id: id = "", data = "" }: Args): readonly Effect[] {
  if (isKernelId(id)) return [];
  switch (action) {
    case "kill":
    case "close":
      return [{ kind: "process", id, action }];
    case "write":
    case "submit":
      return [{ kind: "process", id, action: "type", text: data }];
    default:
      return [];
  }
}

function missingArgument({ action, data, columns, rows }: Args): string | undefined {
  if (action === "write" && (data === undefined || data === "")) return "data: write needs what is to be typed";
  if (action === "resize" && columns === undefined && rows === undefined) return "resize needs columns or rows";
  return undefined;
}

function act(
  action: Exclude<Args["action"], "list">,
  args: Args,
  handle: ProcessHandle,
  context: ProcessContext,
): Promise<ToolResult> {
  switch (action) {
    case "poll":
      return poll(handle, context);
    case "log":
      return log(handle, { offset: args.offset, limit: args.limit }, context);
    case "wait":
      return wait(handle, args.timeout, context);
    case "kill":
      return kill(handle, context);
    case "write":
      return type(handle, args.data ?? "", context);
    case "submit":
      return type(handle, `${args.data ?? ""}${handle.isTerminal ? "\r" : "\n"}`, context);
    case "close":
      return closeInput(handle, context);
    case "screen":
      return screen(handle, context);
    case "resize":
      return resize(handle, { columns: args.columns, rows: args.rows }, context);
  }
}
