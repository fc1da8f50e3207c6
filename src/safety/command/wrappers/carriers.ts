import { quoteForShell } from "../../../base/text/shell-quote.ts";
import { readOptions } from "../programs/options.ts";
import { hole } from "../shell/field.ts";
import { joinedPayload } from "./shells.ts";
import { sudoOptions } from "./sudo-options.ts";
import { commandAfter, type Wrapper } from "./wrapper.ts";

const sudo: Wrapper = (ran, name) => {
  const read = readOptions(ran.argv.slice(1), sudoOptions);
  // Options with which sudo edits a file, lists privileges or prints its version, and runs no command.
  if (read.has("e", "edit", "l", "list", "V", "version")) return [];
  const folder = read.value("D", "chdir");
  return commandAfter(ran, name, read, 0, true).map((payload) => (folder ? { ...payload, cwd: folder.text } : payload));
};

/** Handles `env -S 'one text'`, which splits the text into words, which may be options again. */
const env: Wrapper = (ran, name) => {
  const words = ran.argv.slice(1).filter(({ text }, index) => !(index === 0 && text === "-"));
  const read = readOptions(words, {
    short: "uCSaP",
    long: ["unset", "chdir", "split-string", "argv0"],
    isPrefix: true,
  });
  const folder = read.value("C", "chdir");
  const cwd = folder && { cwd: folder.text };
  const text = read.value("S", "split-string");
  if (text)
    return [
      {
        text: `env ${text.text.replaceAll("\\_", " ")} ${read.operands.map((word) => quoteForShell(word.text)).join(" ")}`,
        via: name,
        isOwnShell: true,
        ...cwd,
      },
    ];
  return commandAfter(ran, name, read, 0, true).map((payload) => ({ ...payload, ...cwd }));
};

/** `command -v rm` only prints the location. */
const command: Wrapper = (ran, name) => {
  const read = readOptions(ran.argv.slice(1), { isPrefix: true });
  return read.has("v", "V") ? [] : commandAfter(ran, name, read, 0, false);
};

/** Handles `su -c text`, or the arguments after the user name. */
const su: Wrapper = (ran, name) => {
  const read = readOptions(ran.argv.slice(1), {
    short: "cCgGsuwT",
    long: ["command", "session-command", "group", "supp-group", "shell", "user", "whitelist-environment"],
  });
  const text = read.value("c", "command", "C", "session-command");
  if (text) return [{ text: text.text, via: name, isOwnShell: true }];
  if (name === "sg") return joinedPayload(read.operands.slice(1), name);
  return name === "runuser" && read.has("u", "user") ? commandAfter(ran, name, read, 0, false) : [];
};

const script: Wrapper = (ran, name) => {
  const text = readOptions(ran.argv.slice(1), {
    short: "cEIOBTmo",
    long: ["command", "echo", "log-in", "log-out", "log-io", "log-timing"],
  }).value("c", "command");
  return text ? [{ text: text.text, via: name, isOwnShell: true }] : [];
};

const flock: Wrapper = (ran, name) => {
  const read = readOptions(ran.argv.slice(1), {
    short: "wE",
    long: ["timeout", "wait", "conflict-exit-code"],
    isPrefix: true,
  });
  const rest = read.operands.slice(1);
  const index = rest.findIndex(({ text }) => text === "-c" || text === "--command");
  return index >= 0 ? joinedPayload(rest.slice(index + 1, index + 2), name) : commandAfter(ran, name, read, 1, false);
};

const watch: Wrapper = (ran, name) =>
  joinedPayload(
    readOptions(ran.argv.slice(1), { short: "nq", long: ["interval", "equexit"], isPrefix: true }).operands,
    name,
  );

/** `compgen -W` expands its text, and `-C` runs it; `mapfile -C` runs it for every few lines. */
const callback =
  (short: string): Wrapper =>
  (ran, name) => {
    const read = readOptions(ran.argv.slice(1), { short });
    return [
      ...read.values("C").map(({ text }) => ({ text: `${text} ${hole}`, via: name, isOwnShell: false })),
      ...read.values("W").map(({ text }) => ({ text: `: <<END\n${text}\nEND\n`, via: name, isOwnShell: false })),
    ];
  };

export const carrierWrappers: Readonly<Record<string, Wrapper>> = {
  "compgen complete": callback("oAGWFCXPS"),
  "mapfile readarray": callback("dnOsuCc"),
  coreutils: (ran, name) => {
    const read = readOptions(ran.argv.slice(1), { long: ["coreutils-prog"] });
    const program = read.value("coreutils-prog");
    const own = program ? [program, ...ran.argv.slice(2)] : ran.argv.slice(1);
    return own.length > 0 && !own[0]?.text.startsWith("-") ? [{ argv: own, via: name }] : [];
  },
  sudo,
  env,
  command,
  "su runuser sg": su,
  script,
  flock,
  watch,
};
