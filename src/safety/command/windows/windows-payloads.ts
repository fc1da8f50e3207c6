import { readOptions } from "../programs/options.ts";
import { type Field, hole, knownField } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import type { Payload } from "../shell/walk.ts";
import type { Wrapper } from "../wrappers/wrapper.ts";
import { windowsCommands } from "./windows-words.ts";

/** Handles `powershell -Command text`, `-EncodedCommand base64`, and the text without an option. */
const powershell: Wrapper = (ran, name) => {
  const { code, encoded } = powershellCode(ran.argv.slice(1));
  const texts = [...(code === undefined ? [] : [code]), ...(encoded === undefined ? [] : [decoded(encoded)])];
  if (texts.length === 0 && ran.stdin.text !== undefined) texts.push(ran.stdin.text);
  else if (texts.length === 0 && ran.stdin.from.length > 0 && !ran.argv.slice(1).some(({ text }) => /^-f/iu.test(text)))
    texts.push(hole);
  return texts.flatMap((text) => commandsOf(text.replaceAll(property, "$x"), "powershell", name));
};

/** Matches `$_` in `"… { $_.Length }"` after a POSIX shell has replaced it. */
const property = /\u{10FFFD}(?=\.(?!exe|cmd|bat|com|ps1)\w)/giu;

export interface PowerShellCode {
  readonly code: string | undefined;
  readonly encoded: string | undefined;
}

export function powershellCode(args: readonly Field[]): PowerShellCode {
  for (let index = 0; index < args.length; index++) {
    const text = args[index]?.text ?? "";
    const option = text.replace(/^[-/]/u, "").toLowerCase();
    const rest = args.slice(index + 1).map((word) => word.text);
    if (!/^[-/]./u.test(text)) return { code: [text, ...rest].join(" "), encoded: undefined };
    if (option !== "" && ("command".startsWith(option) || option === "commandwithargs" || option === "cwa"))
      return { code: rest.join(" "), encoded: undefined };
    if (option === "ec" || option === "e" || (option.length > 1 && "encodedcommand".startsWith(option)))
      return { code: undefined, encoded: rest[0] ?? "" };
    if (option !== "" && "file".startsWith(option)) return { code: undefined, encoded: undefined };
    if (
      /^(?:executionpolicy|ep|ex\w*|windowstyle|w\w*|version|inputformat|outputformat|configurationname|psconsolefile|settingsfile|workingdirectory)$/u.test(
        option,
      )
    )
      index += 1;
  }
  return { code: undefined, encoded: undefined };
}

function decoded(text: string): string {
  return text.includes(hole) ? hole : Buffer.from(text, "base64").toString("utf16le");
}

/** Handles `cmd /c text`. */
const cmd: Wrapper = (ran, name) => {
  const words = ran.argv.slice(1).map(({ text }) => text);
  const index = words.findIndex((text) => /^\/{1,2}[ckr]/iu.test(text));
  if (index < 0) return ran.stdin.text === undefined ? [] : commandsOf(ran.stdin.text, "cmd", name);
  const first = words[index]?.replace(/^\/{1,2}[ckr]/iu, "") ?? "";
  return commandsOf([first, ...words.slice(index + 1)].join(" ").trim(), "cmd", name);
};

function commandsOf(text: string, kind: "powershell" | "cmd", via: string): readonly Payload[] {
  if (text === hole) return [{ argv: [knownField(hole)], via }];
  return windowsCommands(text, kind).map((argv) => ({ argv, via }));
}

/** Handles `Start-Process program -ArgumentList …` and `start "" program`. */
const startProcess: Wrapper = (ran, name) => {
  const { operands, value } = readOptions(ran.argv.slice(1), {
    hasSingleDash: true,
    long: ["FilePath", "ArgumentList", "Verb", "WindowStyle", "WorkingDirectory"],
  });
  const program = value("FilePath") ?? operands.find(({ text }) => text !== "" && !text.startsWith("/"));
  const rest = value("ArgumentList") ?? undefined;
  const words = (rest ? [rest] : operands.filter((word) => word !== program)).flatMap(({ text }) =>
    text.split(/\s+/u).filter(Boolean).map(knownField),
  );
  return program && /^[\w.-]+$/u.test(program.text) ? [{ argv: [program, ...words], via: name }] : [];
};

/** Returns whether `iex` is the Elixir shell and not PowerShell's `Invoke-Expression`. */
export function isElixir({ argv, via, stdin }: SimpleCommand): boolean {
  if (argv[0]?.text !== "iex" || via.includes("powershell")) return false;
  const first = argv[1]?.text ?? "";
  return argv.length === 1 ? stdin.from.length === 0 : /^-(?!c)|^[\w./-]+\.exs?$/iu.test(first);
}

const expression: Wrapper = (ran, name) => {
  const words = ran.argv.slice(1).filter(({ text }) => !/^-command$/iu.test(text));
  const text = words.map((word) => word.text).join(" ");
  return text === "" || /[$]/u.test(text) ? [] : commandsOf(text, "powershell", name);
};

/** Handles `ForEach-Object { … }`: returns the script in the block. */
const block: Wrapper = (ran, name) => {
  const words = ran.argv.slice(1).map(({ text }) => text.replaceAll(hole, "$x"));
  return words.length === 0 ? [] : commandsOf(words.join(" "), "powershell", name);
};

export const windowsWrappers: Readonly<Record<string, Wrapper>> = {
  powershell,
  cmd,
  "start-process saps start": startProcess,
  "foreach-object % where-object invoke-command icm": block,
  "iex invoke-expression": expression,
  forfiles: (ran, name) => {
    const words = ran.argv.slice(1);
    const index = words.findIndex(({ text }) => /^\/c$/iu.test(text));
    const command = words.slice(index + 1).map(({ text }) => text);
    return index < 0 ? [] : commandsOf(command.join(" "), "cmd", name);
  },
};
