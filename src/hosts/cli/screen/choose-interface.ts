import type { CliContext, CliInput } from "../command.ts";

export const minScreenColumns = 30;
export const minScreenRows = 6;

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

/** Undefined: the settings decide. */
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

/** The full screen or the plain chat, as the command line, the environment and the settings say. */
export async function interfaceOf(input: CliInput, ctx: CliContext): Promise<"screen" | "plain"> {
  const { io, env } = ctx;
  const chosen = chosenInterface({
    wantsPlain: input.flag("cli") || input.flag("plain"),
    wantsScreen: input.flag("tui"),
    hasTerminal: io.device !== undefined,
    env,
    columns: io.columns,
    rows: io.rows,
  });
  if (chosen) return chosen;
  return ["plain", "cli"].includes((await ctx.config()).values.display.interface) ? "plain" : "screen";
}
