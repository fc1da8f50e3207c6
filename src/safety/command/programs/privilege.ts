import { words } from "../../../base/text/words.ts";
import { path, rule } from "../fact.ts";
import { readShell, shellNames } from "../wrappers/shells.ts";
import { sudoOptions } from "../wrappers/sudo-options.ts";
import { readOptions } from "./options.ts";
import { programName } from "./program-name.ts";
import type { Program, Programs } from "./program.ts";
import { anyMatching, everyUse, firstMatching } from "./verbs.ts";

/** Finds options that pass a password, open a shell or list privileges, and a shell without a command. */
const sudo: Program = (args, _ran, name) => {
  const { operands, has } = readOptions(args, name === "doas" ? { short: "uC", isPrefix: true } : sudoOptions);
  if (has("e", "edit")) return operands.map((file) => path("edit", file));
  if (has("S", "A", "s", "l", "i", "stdin", "askpass", "shell", "list", "login"))
    return [rule("sudo_password", ...args)];
  const inner = operands.filter(({ text }) => !/^\w+=/u.test(text));
  const command = programName(inner[0]) ?? "";
  if (command === "su") return [rule("privilege", ...args)];
  if (!shellNames.has(command)) return [];
  const { code, operands: rest, readsInput } = readShell(inner.slice(1));
  return code === undefined && rest.length === 0 && !readsInput && _ran.stdin.text === undefined
    ? [rule("privilege", ...args)]
    : [];
};

/** `su` without a command opens a shell. */
const su: Program = (args) => {
  const { has } = readOptions(args, {
    short: "cCgGsuwT",
    long: ["command", "session-command", "group", "shell", "user"],
  });
  return has("c", "command", "session-command", "help", "version", "u", "user") ? [] : [rule("privilege", ...args)];
};

/** Finds commands that attach to another process, which exposes or changes its memory. */
const attaching: Program = (args) =>
  readOptions(args, { short: "eopsSuEIabPUXOnlAaDFx", long: ["attach", "pid", "ex", "output", "trace"] }).has(
    "p",
    "attach",
    "pid",
  )
    ? [rule("privilege", ...args)]
    : [];

/** Handles `gdb -p 12`, `gdb program 12`, `gdb -ex 'attach 12'` and `lldb --attach-name x`. */
const debugging: Program = (args, _ran, name) => {
  const end = args.findIndex(({ text }) => text === "--args" || text === "--");
  const isAttached = (end < 0 ? args : args.slice(0, end)).some(
    ({ text }, index, own) =>
      /^(?:-p\d*|--?pid(?:=.*)?|--attach-\w+(?:=.*)?|\s*(?:process\s+)?att(?:ach)?\s.*)$/su.test(text) ||
      (name === "gdb" && index > 0 && /^\d+$/u.test(text) && own[index - 1]?.text.startsWith("-") === false),
  );
  return isAttached ? [rule("privilege", ...args)] : [];
};

/** Finds commands that open an interactive shell from a program that is not a shell, or with another user's rights. */
const bareShell: Program = (args, ran) => {
  const { code, operands, readsInput } = readShell(args);
  if (code !== undefined || operands.length > 0 || readsInput || ran.stdin.text !== undefined) return [];
  const isRaised = args.some(({ text }) => /^-[a-z]*p/u.test(text)) || ran.via.some((name) => raising.has(name));
  if (isRaised) return [rule("privilege", ...ran.argv)];
  return ran.stdin.from.length === 0 && ran.via.some((name) => odd.has(name)) ? [rule("exec_option", ...ran.argv)] : [];
};

const raising: ReadonlySet<string> = new Set(words("sudo doas pkexec runuser gosu su-exec setpriv"));
const odd: ReadonlySet<string> = new Set(
  words("find fd awk sed vim ed tar zip man less more git gdb rsync sort rg make sqlite3 psql mysql perl ruby lua php"),
);

export const privilege: Programs = {
  [[...shellNames].join(" ")]: bareShell,
  "strace ltrace py-spy rbspy frida frida-trace": attaching,
  "gdb lldb": debugging,
  "gcore procdump reptyr": (args) => (readOptions(args).operands.length > 0 ? [rule("privilege", ...args)] : []),
  "jmap jcmd": anyMatching("privilege", /^-dump|^GC\.heap_dump$/u),
  dlv: firstMatching("privilege", /^attach$/u),
  "sudo doas pkexec": sudo,
  "su runuser": su,
  sudoedit: (args) => readOptions(args).operands.map((file) => path("edit", file)),
  chroot: (args) => {
    const rest = readOptions(args, { long: ["userspec", "groups"], isPrefix: true }).operands.slice(1);
    const isShell =
      rest.length === 0 || (shellNames.has(programName(rest[0]) ?? "") && readShell(rest.slice(1)).code === undefined);
    return isShell && args.length > 0 ? [rule("privilege", ...args)] : [];
  },
  capsh: everyUse("privilege", "--print", "--decode"),
  "newgrp polkit": everyUse("privilege"),
  sg: () => [],
};
