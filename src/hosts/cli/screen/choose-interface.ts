import type { ChatRequest } from "../chat/chat-request.ts";
import type { CliContext, CliInput, Reply } from "../command.ts";
import { mentionsSetting } from "../mentions-setting.ts";
import { isPlain } from "./wanted-interface.ts";

const minScreenColumns = 30;
const minScreenRows = 6;

/** Facts that decide between the full screen and the plain chat. */
export interface InterfaceFacts {
  /** `--cli` or `--plain`. */
  readonly wantsPlain: boolean;
  /** `--tui`. */
  readonly wantsScreen: boolean;
  readonly hasTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly columns: number;
  readonly rows: number;
}

/** The interface that the command line, the terminal or the environment requires. Undefined: the settings decide. */
export function chosenInterface(facts: InterfaceFacts): "screen" | "plain" | undefined {
  const { env, columns, rows } = facts;
  if (facts.wantsPlain || !facts.hasTerminal || (env["TERM"] ?? "dumb") === "dumb") return "plain";
  if (facts.wantsScreen) return "screen";
  if (columns < minScreenColumns || rows < minScreenRows) return "plain";
  if (isOn(env["HERMES_SCREEN_READER"])) return "plain";
  const wish = env["HERMES_TUI"]?.trim() ?? "";
  if (wish !== "") return isOn(wish) ? "screen" : "plain";
  return undefined;
}

function isOn(value = ""): boolean {
  return !["", "0", "false", "no", "off"].includes(value.trim().toLowerCase());
}

interface ChosenInterface {
  readonly kind: "screen" | "plain";
  /** Whether the command line or the environment requests the full screen. */
  readonly isWanted: boolean;
}

/** The full screen or the plain chat, according to the command line, the environment and the settings. */
async function interfaceOf(input: CliInput, ctx: CliContext): Promise<ChosenInterface> {
  const { io, env } = ctx;
  const chosen = chosenInterface({
    wantsPlain: input.flag("cli") || input.flag("plain"),
    wantsScreen: input.flag("tui"),
    hasTerminal: io.device !== undefined,
    env,
    columns: io.columns,
    rows: io.rows,
  });
  if (chosen) return { kind: chosen, isWanted: true };
  // Starts the screen before the settings are read, because reading them takes longer than drawing the prompt.
  return {
    kind: mentionsSetting("interface", ctx) && isPlain(await ctx.config()) ? "plain" : "screen",
    isWanted: false,
  };
}

/** Runs a chat at the terminal, in the full screen or line by line. */
export async function runInteractiveChat(request: ChatRequest, input: CliInput, ctx: CliContext): Promise<Reply> {
  const { kind, isWanted } = await interfaceOf(input, ctx);
  if (kind === "screen") return (await import("./run-screen.ts")).runScreen(request, ctx, isWanted);
  return (await import("../chat/run-chat.ts")).runChat(request, ctx);
}
