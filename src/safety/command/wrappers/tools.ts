import { words } from "../../../base/text/words.ts";
import { readOptions } from "../programs/options.ts";
import { type Field, hole, knownField, literal } from "../shell/field.ts";
import { contentOf } from "../shell/simple-command.ts";
import type { Payload } from "../shell/walk.ts";
import { recipesOf } from "./loaded-files.ts";
import { joinedPayload, textOption } from "./shells.ts";
import { commandAfter, type Wrapper } from "./wrapper.ts";

/** Returns each of the commands that `;` separates, and each `#(command)` in a format. */
const tmux: Wrapper = (ran, name) => {
  const sequences: Field[][] = [[]];
  for (const word of ran.argv.slice(1)) {
    const isEnd = /(?:^|[^\\]);$/u.test(word.text);
    const text = isEnd ? word.text.slice(0, -1) : word.text;
    if (text !== "") sequences.at(-1)?.push(text === word.text ? word : { ...word, text });
    if (isEnd) sequences.push([]);
  }
  const inFormats = ran.argv.flatMap(({ text }) => [...text.matchAll(/#\(([^)]*)\)/gu)].map((match) => match[1] ?? ""));
  // A hook, a key or a confirmation has its command in one word: `set-hook -g alert-bell 'run-shell "date"'`.
  const inWords = ran.argv.flatMap(({ text }) => {
    const [verb = "", ...rest] = text.split(/\s+/u);
    return tmuxVerb.test(verb) && rest.length > 0
      ? [rest.join(" ").replaceAll(/^["'{ ]+|(?<!["'} ])["'} ]+$/gu, "")]
      : [];
  });
  const shellCommand = ran.argv.findIndex(({ text }) => text === "-c");
  const isFirst = shellCommand > 0 && ran.argv.slice(1, shellCommand).every(({ text }) => text.startsWith("-"));
  return [
    ...(isFirst ? joinedPayload(ran.argv.slice(shellCommand + 1, shellCommand + 2), name) : []),
    ...sequences.flatMap((sequence) => tmuxCommand(sequence, name)),
    ...[...inFormats, ...inWords].flatMap((text) => joinedPayload([knownField(text)], name)),
  ];
};

const tmuxVerb =
  /^(?:new|new-session|neww|new-window|splitw|split-window|respawn-pane|respawnp|respawn-window|respawnw|run|run-shell|if|if-shell|popup|display-popup|send|send-keys|pipe-pane|pipep|copy-pipe(?:-\w+)*)$/u;

function tmuxCommand(words: readonly Field[], name: string): readonly Payload[] {
  const index = words.findIndex(({ text }) => tmuxVerb.test(text));
  if (index < 0) return [];
  const isPipe = words[index]?.text.startsWith("pipe") === true;
  const { operands } = readOptions(words.slice(index + 1), { short: isPipe ? "t" : "stncFxyelpf" });
  const typed = operands.filter(({ text }) => !/^(?:Enter|C-m|C-[a-z]|Escape|Space)$/u.test(text));
  return joinedPayload(typed, name);
}

/** Handles `dir -- command` and `run command`: the command follows a subcommand of the program. */
function after(...own: readonly string[]): Wrapper {
  return (ran, name) => {
    const words = ran.argv.slice(1);
    const index = words.findIndex(({ text }) => own.includes(text));
    if (index < 0) return [];
    const read = readOptions(words.slice(index + 1), {
      short: "npC",
      long: ["name", "prefix", "with", "python", "package", "env", "extra", "group", "project", "directory"],
      isPrefix: true,
    });
    return commandAfter(ran, name, read, 0, true);
  };
}

/**
 * Handles `sops exec-env FILE 'command'`: a command with secrets in its variables; and `consul lock KEY command`. The
 * word after the verb is not part of the command.
 */
function afterVerbAndName(verb: RegExp): Wrapper {
  return (ran, name) => {
    const words = ran.argv.slice(1);
    const index = words.findIndex(({ text }) => verb.test(text));
    if (index < 0) return [];
    const read = readOptions(words.slice(index + 1), { long: ["filename", "user"], isPrefix: true });
    const rest = read.operands.slice(1);
    return rest.length === 1 ? joinedPayload(rest, name) : commandAfter(ran, name, read, 1, true);
  };
}

/** Handles `npm pkg set scripts.test=code` and `npm set-script test code`. */
function scriptTexts(words: readonly Field[]): readonly Field[] {
  if (words[0]?.text === "set-script") return words.slice(2, 3);
  if (words[0]?.text !== "pkg" || words[1]?.text !== "set") return [];
  return words.slice(2).flatMap((word) => {
    const code = /^scripts[.[][^=]*=([^]*)$/u.exec(word.text)?.[1];
    // A script that removes build output is normal.
    return code === undefined || /^(?:rm|rimraf)(?: -\w+)* [\w][\w/-]*$/u.test(code) ? [] : [{ ...word, text: code }];
  });
}

/** Handles `npx tool args`, `npx -c 'code'` and `npm exec -- tool`. */
const npx: Wrapper = (ran, name) => {
  const words = ran.argv.slice(1);
  const scripts = scriptTexts(words);
  if (scripts.length > 0) return scripts.flatMap((text) => joinedPayload([text], name));
  const isDirect = name === "npx" || name === "bunx" || name === "pnpx" || name === "uvx";
  const index = isDirect ? 0 : words.findIndex(({ text }) => /^(?:exec|x|dlx)$/u.test(text)) + 1;
  if (!isDirect && index === 0) return [];
  const read = readOptions(words.slice(index), {
    short: "cpw",
    long: ["call", "package", "workspace", "from", "with"],
    isPrefix: true,
  });
  const code = read.value("c", "call");
  if (code) return joinedPayload([code], name);
  const [tool, ...rest] = read.operands;
  // The newer yarn gives the text to a shell.
  if (tool && rest.length === 0 && /\s/u.test(tool.text)) return joinedPayload([tool], name);
  return tool ? [{ argv: [{ ...tool, text: tool.text.replace(/(?<=.)@[^/]*$/u, "") }, ...rest], via: name }] : [];
};

/** Words of the program's own language that run a shell command. */
function shellWords(pattern: RegExp): Wrapper {
  return (ran, name) =>
    ran.argv
      .slice(1)
      .flatMap(({ text }) =>
        [...text.matchAll(pattern)].flatMap((match) => joinedPayload([knownField(match[1] ?? hole)], name)),
      );
}

const screen: Wrapper = (ran, name) => {
  const read = readOptions(ran.argv.slice(1), { short: "SXpcehsTt", isPrefix: true });
  const typed = read.has("X") ? read.values("X").concat(read.operands) : [];
  const index = typed.findIndex(({ text }) => text === "stuff");
  if (index >= 0) return joinedPayload(typed.slice(index + 1), name);
  return read.has("r", "x", "l") || read.operands.length === 0 ? [] : [{ argv: read.operands, via: name }];
};

/** Handles `-e program args` of a terminal emulator. */
const windowed: Wrapper = (ran, name) => {
  const index = ran.argv.findIndex(({ text }) => /^(?:-e|-x|--command|--)$/u.test(text));
  const rest = index < 0 ? [] : ran.argv.slice(index + 1);
  return rest.length === 1 ? joinedPayload(rest, name) : rest.length > 1 ? [{ argv: rest, via: name }] : [];
};

/** Handles `kitty program args`. A word such as `+kitten` is a program of its own. */
const kitty: Wrapper = (ran, name) => {
  const read = readOptions(ran.argv.slice(1), {
    short: "ocdT",
    long: words("override config directory working-directory title class name session listen-on start-as"),
    isPrefix: true,
  });
  const [first] = read.operands;
  return first && !first.text.startsWith("+") ? [{ argv: read.operands, via: name }] : [];
};

/** Handles `pm2 start 'program args'`. A single word is a script of the project. */
const pm2: Wrapper = (ran, name) =>
  ran.argv[1]?.text === "start"
    ? joinedPayload(
        ran.argv.slice(2).filter(({ text }) => /^[^-]\S*\s/u.test(text)),
        name,
      )
    : [];

/** Handles `gh alias set --shell NAME 'command'` and `gh codespace ssh -- command`. */
const gh: Wrapper = (ran, name) => {
  const end = ran.argv.findIndex(({ text }) => text === "--");
  if (end > 0 && ran.argv.slice(1, end).some(({ text }) => text === "ssh"))
    return joinedPayload(ran.argv.slice(end + 1), name);
  const read = readOptions(ran.argv.slice(1), {});
  const [first, second] = read.operands;
  const isShell = first?.text === "alias" && second?.text === "set" && read.has("s", "shell");
  return isShell ? joinedPayload(read.operands.slice(3), name) : [];
};

/** Programs with another purpose that also run a command. */
export const toolWrappers: Readonly<Record<string, Wrapper>> = {
  tmux,
  screen,
  "xterm konsole alacritty": windowed,
  kitty,
  pm2,
  "gh glab": gh,
  "npx bunx pnpx uvx npm pnpm yarn": npx,
  expect: shellWords(/(?:spawn|exec|system)\s+([^;\n"]+)/gu),
  osascript: shellWords(/do shell script\s+"((?:[^"\\]|\\.)*)"/gu),
  less: shellWords(/^\+!([^]+)$/gu),
  "ansible-console": shellWords(/^shell\s+([^]+)$/gu),
  hyperfine: (ran, name) =>
    readOptions(ran.argv.slice(1), {
      short: "wmMrpcLDsuSNi",
      long: ["warmup", "runs", "prepare", "export-json"],
    }).operands.flatMap((word) => joinedPayload([word], name)),
  "nix-shell": textOption("", ["run", "command"]),
  "nix just": after("-c", "--command"),
  "poetry pipenv uv pdm hatch rye conda": after("run"),
  "bundle asdf": after("exec"),
  sops: afterVerbAndName(/^exec-(?:env|file)$/u),
  consul: afterVerbAndName(/^lock$/u),
  logrotate: textOption("m", ["mail"]),
  gopass: afterVerbAndName(/^env$/u),
  mise: after("exec", "x", "--"),
  crontab: (ran, name) =>
    (ran.stdin.text ?? "")
      .split("\n")
      .flatMap((line) => /^\s*(?:@\w+|[\d*@][^\s=]*(?:\s+\S+){4})\s+(.+)$/u.exec(line)?.[1] ?? [])
      .flatMap((code) => joinedPayload([knownField(code)], name)),
  make: (ran, name) =>
    readOptions(ran.argv.slice(1), { short: "fCIjlo", long: ["file", "makefile", "eval"] })
      .values("f", "file", "makefile", "eval")
      .map(({ text }) => contentOf(ran, { text }) ?? (/^(?:-|\/dev\/stdin)$/u.test(text) ? ran.stdin.text : text))
      .flatMap((text) => recipesOf(text ?? "").flatMap((code) => joinedPayload([knownField(code)], name))),
  nodemon: textOption("x", ["exec"]),
  concurrently: (ran, name) =>
    readOptions(ran.argv.slice(1), { short: "ncpt", long: ["names", "prefix-colors"] })
      // `npm:dev:*` are scripts of the project.
      .operands.filter(({ text }) => !/^(?:npm|yarn|pnpm|bun|node|deno):/u.test(text))
      .flatMap((word) => joinedPayload([word], name)),
  "at batch": (ran, name) => (ran.stdin.text === undefined ? [] : joinedPayload([knownField(ran.stdin.text)], name)),
  tar: textOption(
    "I",
    words("to-command use-compress-program rsh-command info-script new-volume-script checkpoint-action"),
  ),
  zip: (ran, name) =>
    ran.argv.flatMap(({ text }, index) =>
      text === "-TT" ? joinedPayload(ran.argv.slice(index + 1, index + 2), name) : [],
    ),
  husky: (ran, name) => (/^(?:add|set)$/u.test(ran.argv[1]?.text ?? "") ? joinedPayload(ran.argv.slice(3), name) : []),
  rsync: textOption("e", ["rsh", "rsync-path"]),
  sort: textOption("", ["compress-program"]),
  rg: textOption("", ["pre", "hostname-bin"]),
  man: textOption("PH", ["pager", "html"]),
  ag: textOption("", ["pager"]),
};

/** Returns the command in `checkpoint-action=exec=CMD`. */
export function payloadText(payload: Payload): Payload {
  if (!("text" in payload)) return payload;
  const inner = literal(knownField(payload.text))?.replace(/^exec=/u, "");
  return inner === undefined ? payload : { ...payload, text: inner };
}
