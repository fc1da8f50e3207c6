import { words } from "../../../base/text/words.ts";
import { plainWords } from "../../../contracts/host/command-line.ts";
import { rule } from "../fact.ts";
import type { Field } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import { readOptions } from "./options.ts";
import type { Program, Programs } from "./program.ts";
import { allOf, everyUse, withOption, anyMatching, firstMatching, verbs, withWord } from "./verbs.ts";

const init: Program = (args) =>
  args.some(({ text }) => /^[06]$/u.test(text))
    ? [rule("power", ...args)]
    : args.length > 0
      ? [rule("service", ...args)]
      : [];

const systemctl: Program = (args) => {
  const { operands } = readOptions(args, {
    short: "tpsHMno",
    long: ["type", "property", "state", "host", "machine", "lines", "output", "root", "signal", "kill-whom"],
  });
  const verb = operands[0]?.text ?? "";
  if (/^(?:poweroff|reboot|halt|kexec|soft-reboot)$/u.test(verb)) return [rule("power", ...args)];
  const target = operands.slice(1).map(({ text }) => text);
  if (
    /^(?:isolate|start)$/u.test(verb) &&
    target.some((text) => /^(?:poweroff|reboot|halt|kexec|shutdown|runlevel[06])\.target$/u.test(text))
  )
    return [rule("power", ...args)];
  if (/^(?:suspend|hibernate|hybrid-sleep|emergency|rescue|isolate|daemon-reexec|set-default|revert|edit)$/u.test(verb))
    return [rule("service", ...args)];
  if (/^(?:stop|restart|try-restart|reload-or-restart|disable|mask|kill|reset-failed|set-property)$/u.test(verb))
    return verb === "reset-failed" ? [] : [rule("service", ...args)];
  return /^(?:enable|reenable|link|preset)$/u.test(verb) ? [rule("persistence", ...args)] : [];
};

const kill: Program = (args, ran) => {
  const words = args.filter(({ text }) => !/^(?:-l|-L|--list|--table)$/u.test(text));
  if (words.length < args.length) return [];
  const targets = killTargets(words);
  if (targets.some(({ text }) => /^-0*1$/u.test(text))) return [rule("kill_all", ...args)];
  const isGentle = words.some(({ text }) => /^-(?:(?:SIG)?(?:HUP|USR[12]|CONT|WINCH)|0|1)$/u.test(text));
  if (!isGentle && targets.some(({ text }) => /^-?0*[01]$/u.test(text))) return [rule("kill_force", ...args)];
  const isListed = ran.stdin.from.some(({ argv: [name] }) => /^(?:pgrep|pidof|ps)$/u.test(name?.text ?? ""));
  return isListed && ran.via.includes("xargs") ? [rule(killRule(ran.stdin.from), ...args)] : [];
};

/**
 * Returns the rule for killing the processes that a search returns: the rule for Hermes if the search mentions Hermes,
 * otherwise the general one.
 */
export function killRule(searches: readonly SimpleCommand[]): "own_process" | "kill_force" {
  return searches.some(({ argv }) => argv.some(({ text }) => ownName.test(text))) ? "own_process" : "kill_force";
}

const ownName = /hermes|gateway|cli\.py/iu;

/** Returns the targets of `kill`, without the signal: `-9`, `-KILL`, `-s KILL`, `-n 9`, `--signal=9`. */
function killTargets(words: readonly Field[]): readonly Field[] {
  const targets: Field[] = [];
  let hasSignal = false;
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    if (!word) continue;
    const { text } = word;
    if (text === "--") return [...targets, ...words.slice(index + 1)];
    if (/^(?:-s|-n|--signal|-q|--queue)$/u.test(text)) {
      index += 1;
      hasSignal = true;
    } else if (/^-[-a-zA-Z]/u.test(text)) hasSignal = true;
    else if (/^-\d+$/u.test(text) && !hasSignal) hasSignal = true;
    else targets.push(word);
  }
  return targets;
}

const pkill: Program = (args, _ran, name) => {
  const isSignal = /^-(?:\d+|(?:SIG)?[A-Z]{3,}\d?)$/u;
  const { operands, values, has } = readOptions(
    args.filter(({ text }) => !isSignal.test(text)),
    {
      short: "sugGPtUF",
      long: ["signal", "user", "euid", "uid", "group", "parent"],
    },
  );
  const isForced =
    args.some(({ text }) => /^-(?:9|KILL|SIGKILL)$/iu.test(text)) ||
    values("s", "signal").some(({ text }) => /^(?:9|(?:SIG)?KILL)$/iu.test(text));
  const isOwn = has("f", "full") && operands.some(({ text }) => ownLines.some((line) => patternFits(text, line)));
  if (isOwn || args.some(({ text }) => ownName.test(text))) return [rule("own_process", ...args)];
  const isBroad = has("u", "user", "euid", "U") || operands.some(({ text }) => /^(?:\.|\.\*|\.\+|\^|)$/u.test(text));
  const isPattern = name === "killall" && has("r", "regexp");
  return isForced || isPattern || isBroad ? [rule("kill_force", ...args)] : [];
};

/** Matches Hermes in a list of processes. */
const ownLines = [
  "/usr/local/bin/hermes chat",
  "node /opt/hermes/dist/hermes.js",
  "node /opt/hermes/dist/supervisor.js",
];

function patternFits(pattern: string, line: string): boolean {
  try {
    return new RegExp(pattern, "iu").test(line);
  } catch {
    return false;
  }
}

const launchctl: Program = allOf(
  anyMatching("own_process", /hermes/iu),
  verbs([
    ["power", "reboot"],
    ["service", "unload|remove|bootout|stop|kill|kickstart|disable"],
    ["persistence", "load|bootstrap|enable|submit|setenv|config"],
  ]),
);

const hermes: Program = (args, ran) => {
  // Options of other versions may have values, too. A text of several words is a prompt.
  const given = args.map(({ text }) => text).filter((text) => !/^-|\s/u.test(text));
  const words = plainWords(args.map(({ text }) => text));
  const phrase = words.join(" ");
  const isChange =
    /(?:^| )(?:approvals answer|policy (?:allow|forget|deny)|config (?:set|edit|unset))(?: |$)/u.test(
      given.join(" "),
    ) ||
    /^(?:gateway (?:stop|restart|uninstall|install)|update|uninstall|policy (?:allow|forget|deny)|approvals answer|config (?:set|edit|unset)|auth|pairing approve|audit (?:clear|rotate)|reset|profile delete|backup restore)(?: |$)/u.test(
      phrase,
    );
  const isDetached =
    /^gateway (?:run|start)?(?: |$)/u.test(`${phrase} `) &&
    words[1] === "run" &&
    (ran.isBackground || ran.via.some((name) => /^(?:nohup|setsid|screen|tmux|systemd-run|disown)$/u.test(name)));
  const isUnsafe = args.some(({ text }) => /^--(?:yolo|dangerously.*|no-approval)$/u.test(text));
  return isChange || isDetached || isUnsafe ? [rule("own_process", ...args)] : [];
};

/** Matches messages to the login manager, which can shut down the machine. */
const loginManager: Program = (args) =>
  /login1.*\b(?:PowerOff|Reboot|Halt|KExec)|systemd1.*\b(?:PowerOff|Reboot|Halt|KExec)/u.test(
    args.map(({ text }) => text).join(" "),
  )
    ? [rule("power", ...args)]
    : [];

export const machine: Programs = {
  "dbus-send busctl gdbus": loginManager,
  "shutdown reboot halt poweroff openrc-shutdown": everyUse(
    "power",
    ...words("--help --version -? -c --show -w --wtmp-only"),
  ),
  "init telinit": init,
  systemctl,
  loginctl: verbs([
    ["power", "poweroff|reboot|halt"],
    ["service", "terminate-*|kill-*"],
    ["persistence", "enable-linger"],
  ]),
  "service rc-service invoke-rc.d initctl": anyMatching(
    "service",
    /^(?:stop|restart|force-reload|force-stop|try-restart|disable|--full-restart)$/u,
  ),
  sv: verbs([["service", "stop|down|restart|exit|kill|force-*"]]),
  supervisorctl: verbs([["service", "stop|restart|shutdown|remove|reload"]]),
  pm2: verbs([
    ["service", "stop|delete|del|kill"],
    ["persistence", "startup"],
  ]),
  "rc-update": verbs([["persistence", "add|del|delete"]]),
  "update-rc.d batch atrm": everyUse("persistence"),
  chkconfig: (args) => (args.length > 1 ? [rule("persistence", ...args)] : []),
  launchctl,
  apachectl: withWord("service", "stop", "restart", "graceful-stop"),
  nginx: (args) =>
    /^(?:stop|quit)$/u.test(readOptions(args, { short: "scpg" }).value("s")?.text ?? "")
      ? [rule("service", ...args)]
      : [],
  pg_ctl: verbs([["service", "stop|restart|kill"]]),
  pg_ctlcluster: withWord("service", "stop", "restart"),
  kill,
  skill: everyUse("kill_force"),
  "pkill killall": pkill,
  killall5: everyUse("kill_all"),
  taskkill: withWord("kill_force", "/F", "/f", "-F", "//F"),
  crontab: (args) => (readOptions(args, { short: "u" }).has("l") ? [] : [rule("persistence", ...args)]),
  "systemd-run": anyMatching("persistence", /^--(?:on-|timer-)/u),
  at: (args) =>
    readOptions(args, { short: "fqt" }).has("l", "c", "V") || args.length === 0 ? [] : [rule("persistence", ...args)],
  history: anyMatching("logging_off", /^-[a-z]*[cdw]/u),
  journalctl: anyMatching("logging_off", /^--(?:vacuum-|rotate|relinquish|setup-keys)/u),
  auditctl: (args) =>
    args.some(({ text }) => /^-[elDdW]$|^-[De]/u.test(text)) && !withOnly(args, "-l", "-s")
      ? [rule("logging_off", ...args)]
      : [],
  setenforce: firstMatching("logging_off", /^(?:0|permissive)$/iu),
  "setsebool aa-teardown aa-disable aa-complain": everyUse("logging_off"),
  apparmor_parser: withWord("logging_off", "-R", "--remove"),
  dmesg: withOption("logging_off", "C c clear read-clear console-off D", "fln"),
  logrotate: withWord("logging_off", "-f", "--force"),
  set: (args) =>
    /^\+o$/u.test(args[0]?.text ?? "") && args[1]?.text === "history" ? [rule("logging_off", ...args)] : [],
  shopt: (args) =>
    args.some(({ text }) => text === "history") && args.some(({ text }) => /^-\w*u/u.test(text))
      ? [rule("logging_off", ...args)]
      : [],
  unset: withWord("logging_off", "HISTFILE", "HISTSIZE", "HISTFILESIZE"),
  // Without `-l`, `fc` runs commands of the shell history.
  fc: (args) =>
    args.some(({ text }) => text === "-W")
      ? [rule("logging_off", ...args)]
      : args.some(({ text }) => /^-\w*l/u.test(text)) || comparesFiles(args)
        ? []
        : [rule("unknown_code", ...args)],
  csrutil: withWord("logging_off", "disable", "clear"),
  spctl: withWord("logging_off", "--master-disable", "--global-disable", "--disable"),
  hermes,
  "hermes-gateway": everyUse("own_process", "status"),
  approve: everyUse("own_process"),
};

/** On Windows, `fc a.txt b.txt` compares two files. A pair of file names does not select a command of the history. */
function comparesFiles(args: readonly Field[]): boolean {
  const files = args.filter(({ text }) => !text.startsWith("/"));
  return files.length === 2 && files.every(({ text }) => /^[\w./\\-]*\w\.[A-Za-z]\w{0,4}$/u.test(text));
}

function withOnly(args: readonly Field[], ...words: readonly string[]): boolean {
  return args.every(({ text }) => words.includes(text));
}
