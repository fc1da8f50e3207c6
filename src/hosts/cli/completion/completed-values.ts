import type { CliArgument, CliOption } from "../command.ts";

/** Lists that `hermes completion values NAME` prints while the user presses Tab. */
export type ValueList =
  | "agents"
  | "approvals"
  | "bundles"
  | "catalog"
  | "commands"
  | "mixtures"
  | "models"
  | "plugins"
  | "profiles"
  | "providers"
  | "servers"
  | "sessions"
  | "settings"
  | "skills"
  | "skins"
  | "taps"
  | "tools"
  | "toolsets";

/**
 * Values of an argument in the form of the scripts: `@sessions` is a list that changes, `=text json` are fixed words,
 * `files` and `folders` are completed by the shell, and nothing means any text.
 */
export function valuesOfArgument({ name, choices }: CliArgument, path: readonly string[]): string {
  return choices ? `=${choices.join(" ")}` : byName(name, path);
}

/** Like `valuesOfArgument`, for the value of an option. */
export function valuesOfOption({ flags, choices }: CliOption, path: readonly string[]): string {
  if (choices) return `=${choices.join(" ")}`;
  const option = /--([\w-]+)/u.exec(flags)?.[1] ?? "";
  const placeholder = /[<[]([^>\]]+)[>\]]/u.exec(flags)?.[1] ?? "";
  const list = listOfOption.get(option);
  return list === undefined ? byName(placeholder, placeholder === "name" ? [] : path) : list;
}

/** The word in the usage identifies the kind; `name` means a member of the command's group. */
function byName(word: string, path: readonly string[]): string {
  // Only in `config` a key is a settings key; elsewhere it is a secret or a number.
  if (word === "key" && path[0] !== "config") return "";
  if (word === "tap" && path.at(-1) === "add") return "";
  if (word === "id" && path[0] === "approvals") return "@approvals";
  if (word === "name" || word === "names")
    return membersOfGroup.get(path.join(" ")) ?? membersOfGroup.get(path[0] ?? "") ?? "";
  return listOfWord.get(word) ?? "";
}

type Values = `@${ValueList}` | "files" | "folders" | "";

const listOfWord: ReadonlyMap<string, Values> = new Map<string, Values>([
  ["session", "@sessions"],
  ["sessions", "@sessions"],
  ["model", "@models"],
  ["provider", "@providers"],
  ["profile", "@profiles"],
  ["file", "files"],
  ["files", "files"],
  ["path", "files"],
  ["folder", "folders"],
  ["key", "@settings"],
  ["tap", "@taps"],
]);

const listOfOption: ReadonlyMap<string, Values> = new Map<string, Values>([
  ["profile", "@profiles"],
  ["model", "@models"],
  ["provider", "@providers"],
  ["toolsets", "@toolsets"],
  ["toolset", "@toolsets"],
  ["skills", "@skills"],
  ["skill", "@skills"],
  ["session", "@sessions"],
  ["resume", "@sessions"],
  ["continue", "@sessions"],
  ["clone-from", "@profiles"],
]);

/** Lists of values by command path, or by its first word. Names of new objects cannot be completed. */
const membersOfGroup: ReadonlyMap<string, Values> = new Map<string, Values>([
  ["agents", "@agents"],
  ["agents create", ""],
  ["moa", "@mixtures"],
  ["moa create", ""],
  ["plugins", "@plugins"],
  ["plugins create", ""],
  ["mcp", "@servers"],
  ["mcp add", ""],
  ["mcp install", "@catalog"],
  ["profile", "@profiles"],
  ["profile create", ""],
  ["skills", "@skills"],
  ["skins", "@skins"],
  ["bundles", "@bundles"],
  ["bundles create", ""],
  ["curator", "@skills"],
  ["tools", "@tools"],
  ["toolsets", "@toolsets"],
  ["auth", "@providers"],
]);
