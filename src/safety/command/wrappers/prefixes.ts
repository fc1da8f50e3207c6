import { words } from "../../../base/text/words.ts";
import { readOptions } from "../programs/options.ts";
import { type Field, knownField } from "../shell/field.ts";
import { joinedPayload, textOption } from "./shells.ts";
import { prefixWrapper, type Wrapper } from "./wrapper.ts";

const straceShape = { short: "eopsSuEIabPUXO", long: ["output", "attach", "trace", "env"], isPrefix: true };

/** Programs that run the command that follows their own options. */
export const prefixWrappers: Readonly<Record<string, Wrapper>> = {
  doas: prefixWrapper({ short: "uC" }),
  [`nohup setsid firejail valgrind unbuffer linux64 dumb-init builtin busybox toybox entr chronic torify tsocks dbus-launch catchsegv heaptrack nocorrect noglob -`]:
    prefixWrapper(),
  time: prefixWrapper({ short: "fo", long: ["format", "output"] }),
  nice: prefixWrapper({ short: "n", long: ["adjustment"] }),
  ionice: prefixWrapper({ short: "cnpPu", long: ["class", "classdata", "pid"] }),
  chrt: prefixWrapper({ short: "TPD", skip: 1 }),
  "taskset setarch setuidgid gosu su-exec": prefixWrapper({ skip: 1 }),
  numactl: prefixWrapper({
    short: "iNmCp",
    long: ["interleave", "cpunodebind", "membind", "physcpubind", "preferred"],
  }),
  stdbuf: prefixWrapper({ short: "ioe", long: ["input", "output", "error"] }),
  "timeout gtimeout": prefixWrapper({ short: "ks", long: ["kill-after", "signal"], skip: 1 }),
  chroot: prefixWrapper({ long: ["userspec", "groups"], skip: 1 }),
  unshare: prefixWrapper({
    short: "SGRw",
    long: ["setuid", "setgid", "root", "wd", "propagation", "setgroups", "map-user", "map-group"],
  }),
  nsenter: prefixWrapper({ short: "tSGrwW", long: ["target", "setuid", "setgid", "wd"] }),
  "systemd-run": prefixWrapper({
    short: "upEHMtC",
    long: words(`
      unit property setenv host machine on-active on-calendar uid gid nice working-directory description slice
    `),
  }),
  "systemd-inhibit": prefixWrapper({ long: ["what", "who", "why", "mode"] }),
  "dbus-run-session": prefixWrapper({ long: ["config-file", "dbus-daemon"] }),
  fakeroot: prefixWrapper({ short: "lsib" }),
  proot: prefixWrapper({ short: "rbmqwkS" }),
  strace: (ran, name) => [
    ...prefixWrapper(straceShape)(ran, name),
    // Handles `-o '|command'`.
    ...readOptions(ran.argv.slice(1), straceShape)
      .values("o", "output")
      .flatMap((to) => (/^[|!]/u.test(to.text) ? joinedPayload([{ ...to, text: to.text.slice(1) }], name) : [])),
  ],
  /** Handles `cmake -E rm -rf x`: cmake has a few built-in programs. */
  cmake: (ran, name) => {
    const index = ran.argv.findIndex(({ text }) => text === "-E");
    const [own, ...rest] = index < 0 ? [] : ran.argv.slice(index + 1);
    const program = own && { ...own, text: own.text.replace(/^remove(?:_directory)?$/u, "rm") };
    const options = own?.text === "remove_directory" ? [knownField("-r")] : [];
    return program
      ? [{ argv: program.text === "chdir" ? rest.slice(1) : [program, ...options, ...rest], via: name }]
      : [];
  },
  ltrace: prefixWrapper({ short: "eopsSunlAaDF" }),
  perf: prefixWrapper({ skip: 1, short: "eogFcprCat" }),
  caffeinate: prefixWrapper({ short: "tw" }),
  rlwrap: prefixWrapper({ short: "abcCDeFghHimMnopPqrRsStUvwWz" }),
  setpriv: prefixWrapper({
    long: ["reuid", "regid", "groups", "inh-caps", "ambient-caps", "bounding-set", "securebits", "pdeathsig"],
  }),
  prlimit: prefixWrapper({ short: "p", long: ["pid"] }),
  chpst: prefixWrapper({ short: "uUbeCnmdopfclsrt" }),
  tini: prefixWrapper({ short: "pe" }),
  exec: prefixWrapper({ short: "a" }),
  "cross-env": prefixWrapper({ hasAssignments: true }),
  dotenv: prefixWrapper({ short: "efcv" }),
  "direnv aws-vault": prefixWrapper({ skip: 2 }),
  watchexec: prefixWrapper({ short: "ewidsNpfoE", long: ["exts", "watch", "ignore", "delay-run", "signal", "filter"] }),
  reflex: prefixWrapper({ short: "rgRG", long: ["regex", "glob"] }),
  torsocks: prefixWrapper({ short: "uaP" }),
  "proxychains proxychains4": prefixWrapper({ short: "f" }),
  faketime: prefixWrapper({ short: "f", skip: 1 }),
  pkexec: prefixWrapper({ long: ["user"] }),
  gksudo: prefixWrapper({ short: "u", long: ["user"] }),
  kdesudo: prefixWrapper({ short: "u" }),
  cpulimit: prefixWrapper({ short: "lpPe", long: ["limit"] }),
  trickle: prefixWrapper({ short: "duws" }),
  "xvfb-run": prefixWrapper({ short: "nesfpw", long: ["server-args", "server-num", "error-file"] }),
  "start-stop-daemon": (ran, name) => {
    const read = readOptions(ran.argv.slice(1), {
      short: "xpuncgdamR",
      long: ["exec", "pidfile", "user", "chuid", "name"],
    });
    const program = read.value("exec", "x", "a");
    return program ? [{ argv: [program, ...read.afterDashes], via: name }] : [];
  },
  daemonize: prefixWrapper({ short: "aecpluE" }),
  daemon: prefixWrapper({ short: "nuFpXOPNU" }),
  runcon: prefixWrapper({ short: "turl", skip: 0 }),
  bwrap: (ran, name) => {
    const words = ran.argv.slice(1);
    const offset = words.findIndex(({ text }, index) => !text.startsWith("-") && isCommandOfBwrap(words, index));
    return offset < 0 ? [] : [{ argv: words.slice(offset), via: name }];
  },
  "systemd-nspawn": prefixWrapper({ short: "DiMub", long: ["directory", "image", "machine", "user", "bind"] }),
  sem: prefixWrapper({ short: "j", long: ["id", "jobs"] }),
  dotenvx: prefixWrapper({ skip: 1, short: "f" }),
  doppler: (ran, name) => [
    ...textOption("", ["command"])(ran, name),
    ...prefixWrapper({ skip: 1, short: "pc" })(ran, name),
  ],
  "gnome-terminal": prefixWrapper({ long: ["working-directory", "title"] }),
  wsl: prefixWrapper({ short: "ude", long: ["user", "distribution", "exec"] }),
};

/** Options of bwrap take zero to two words; the command starts at the first remaining word. */
function isCommandOfBwrap(words: readonly Field[], index: number): boolean {
  const takes = (text: string) =>
    /^--(?:ro-bind|bind|dev-bind|symlink|setenv|file|chmod|bind-try|ro-bind-try|bind-data|ro-bind-data|overlay)/u.test(
      text,
    )
      ? 2
      : /^--(?:dev|proc|tmpfs|dir|chdir|unsetenv|uid|gid|hostname|seccomp|cap-add|cap-drop|perms|size|lock-file|remount-ro|args|mqueue|sync-fd|info-fd)$/u.test(
            text,
          )
        ? 1
        : 0;
  return takes(words[index - 1]?.text ?? "") < 1 && takes(words[index - 2]?.text ?? "") < 2;
}
