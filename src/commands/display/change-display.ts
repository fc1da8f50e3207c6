import type { Choices, CommandReply, DisplayChange, DisplayState } from "../../contracts/host/command.ts";
import type { SlashCommand, SlashContext } from "../slash-command.ts";

/** Display values that can also be saved in the settings file. */
type SavedKey = Exclude<keyof DisplayChange, "focus" | "voice">;

/** Changes how this chat looks. With `--global` the value also becomes the default. */
export async function changeDisplay<Key extends SavedKey>(
  key: Key,
  value: DisplayState[Key],
  { text, isGlobal }: { readonly text: string; readonly isGlobal: boolean },
  { run, fixedSettings }: SlashContext,
): Promise<CommandReply> {
  // The cast is safe, because `value` has the type of `key`.
  const effect = { kind: "display", change: { [key]: value } as DisplayChange } as const;
  if (!isGlobal) return { text, effect };
  if (fixedSettings !== undefined) return { text: fixedSettings, failed: true };
  await run("config.set", { key: `display.${key}`, value: String(value) });
  return { text: `${text} Saved as the default.`, effect };
}

export const globalChoice = { value: "--global", summary: "also for new chats" } as const;

/** The words of a line without `--global`. */
export function displayWish(args: string): { readonly word: string; readonly isGlobal: boolean } {
  const words = args.split(/\s+/u).filter((word) => word !== "");
  return {
    word: words.filter((each) => each !== "--global").join(" "),
    isGlobal: words.includes("--global"),
  };
}

type Switch = Pick<SlashCommand, "name" | "aliases" | "summary"> & {
  readonly key: "status_line" | "footer" | "timestamps";
  readonly on: string;
  readonly off: string;
};

/** Creates a command that shows or hides a part of the chat. */
export function displaySwitch({ key, on, off, ...names }: Switch): SlashCommand {
  return {
    ...names,
    args: "[on|off|status] [--global]",
    maxWords: 2,
    choices: (before) => (before.length === 0 ? ["on", "off", "status"] : [globalChoice]),
    async run(args, ctx) {
      const { word, isGlobal } = displayWish(args);
      const isOn = ctx.display[key];
      if (word === "status") return { text: isOn ? on : off };
      if (word !== "" && word !== "on" && word !== "off")
        return { text: `"${word}" is not one of on, off, status.`, failed: true };
      const next = word === "" ? !isOn : word === "on";
      return changeDisplay(key, next, { text: next ? on : off, isGlobal }, ctx);
    },
  };
}

/** Completion of a command that takes one of these words and `--global`. */
export function oneOfWords(words: Choices): NonNullable<SlashCommand["choices"]> {
  return (before) => (before.length === 0 ? words : [globalChoice]);
}
