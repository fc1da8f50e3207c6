import { randomHex, sha256 } from "../../base/digest.ts";
import { quoteForShell } from "../../base/text/shell-quote.ts";
import { childVariables } from "../child-environment.ts";
import { type CarriedState, parseCarriedState } from "../shell/carried-state.ts";
import { shellArguments } from "../shell/dialect.ts";
import type { Link } from "./link.ts";
import type { OpenedMachine, RemoteMachine } from "./open-machine.ts";
import { runScript } from "./run-script.ts";

/**
 * The shell of one environment: holds the state for its next command, and creates the code that starts a command on the
 * backend.
 */
export interface BackendShell {
  readonly machine: RemoteMachine;
  readonly state: CarriedState;
  /** Variables of the first command. */
  readonly initial: CarriedState["exports"];
  /** The checksum of the state that the last command saved. */
  readonly checksum: string;
  adopt(state: CarriedState): void;
  /** Uses the state that a command saved: its text, or undefined when it did not change. */
  read(dump: string | undefined, checksum: string): CarriedState | undefined;
  /** The shell code that starts the command on the backend. */
  start(command: string, options: RemoteShellStart): StartCode;
  /**
   * Returns code that works even if the files of the environment are missing on the backend: it defines `start`, and
   * `prepare`, which writes missing files to `scriptAt`.
   */
  standalone(command: string, options: RemoteShellStart & { readonly scriptAt: string }): string;
  /** Reports that the files are missing on the backend: the next command sends them again. */
  forgetSent(): void;
  /** Marks a file on the backend as no longer needed. */
  discard(path: string): void;
  /** Files that the next run removes at its end, in batches because each removal starts a program. */
  takeDiscarded(): readonly string[];
  /** Removes the files of the environment on the backend. */
  clear(link: Link, signal: AbortSignal): Promise<void>;
}

export interface RemoteShellStart {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly saveTo: string;
  /** The process stays in its parent's session and uses that terminal. */
  readonly isTerminal?: boolean;
}

export interface StartCode {
  /** A file on the backend that defines `go`, which executes a program with the carried variables. */
  readonly variables: string;
  /** Defines `prepare`, which creates missing files, and `start`. One byte per character. */
  readonly code: string;
  /** The code contains the carried variables. */
  readonly hasVariables: boolean;
  /** Call it after `prepare` has run: the next command does not send the files again. */
  readonly arrived: () => void;
}

export interface RemoteShellDeps {
  /** Variables that are passed to every command. */
  readonly env: Readonly<Record<string, string>>;
  readonly passthrough: readonly string[];
}

export function createBackendShell(opened: OpenedMachine, { env, passthrough }: RemoteShellDeps): BackendShell {
  const { machine, first } = opened;
  const environmentId = randomHex(4);
  const sent = new Set<string>();
  const discarded: string[] = [];
  let latest = { checksum: opened.checksum, state: first };
  let state: CarriedState = {
    script: "",
    functions: {},
    aliases: {},
    ...first,
    cwd: opened.cwd,
    exports: new Map([
      ...childVariables(Object.fromEntries(first?.exports ?? [["HOME", machine.home]]), passthrough),
      ...Object.entries(env),
    ]),
  };

  function startCode(
    command: string,
    { saveTo, env: extras, cwd, isTerminal }: RemoteShellStart,
    script: string | undefined,
  ): string {
    const wrapping = { saveTo, mark: machine.mark, ...(script !== undefined && { script }) };
    const odd = Object.keys(extras).every(isPlain) ? [] : [machine.env];
    const words = [
      ...odd.map(quoteForShell),
      // Sets SHLVL, because without it a bash that sees SSH_CLIENT reads .bashrc first.
      ...Object.entries({ SHLVL: "1", ...extras, PWD: cwd }).map(([key, value]) => quoteForShell(`${key}=${value}`)),
      'HERMES_RUN="$H"',
      ...(machine.setsid === undefined || isTerminal === true ? [] : [quoteForShell(machine.setsid)]),
      quoteForShell(machine.shell),
      ...shellArguments(machine.dialect, command, wrapping).map(quoteForShell),
    ];
    return latin1(`start() { go ${words.join(" ")} 2>&1; }\n`);
  }

  const initial = state.exports;
  return {
    machine,
    initial,
    get state() {
      return state;
    },
    get checksum() {
      return latest.checksum;
    },
    adopt(next) {
      state = next;
    },
    read(dump, checksum) {
      if (dump !== undefined) latest = { checksum, state: parseCarriedState(dump, machine.mark, machine.dialect) };
      return latest.state;
    },
    forgetSent: () => sent.clear(),
    discard: (path) => void discarded.push(path),
    takeDiscarded: () => (discarded.length < maxDiscarded ? [] : discarded.splice(0)),
    async clear(link, signal) {
      if (sent.size === 0) return;
      const left = discarded.splice(0).map(quoteForShell);
      const files = ["go", "state"].map((name) => `${quoteForShell(`${machine.folder}/${name}-${environmentId}`)}-*`);
      await runScript(link, `rm -f ${[...files, ...left].join(" ")}`, { signal });
    },
    start(command, options) {
      const go = latin1(goCode(machine, state.exports));
      const name = `${environmentId}-${sha256(`${go}\0${state.script}`).slice(0, 16)}`;
      const variables = `${machine.folder}/go-${name}`;
      const script = state.script === "" ? undefined : `${machine.folder}/state-${name}`;
      const prepare = sent.has(name)
        ? []
        : [...(script === undefined ? [] : [writing(script, state.script)]), writing(variables, go)];
      const code = `${prepareCode(prepare)}${startCode(command, options, script)}`;
      return { variables, code, hasVariables: prepare.length > 0, arrived: () => void sent.add(name) };
    },
    standalone(command, options) {
      const script = state.script === "" ? undefined : options.scriptAt;
      const prepare = script === undefined ? [] : [writing(script, state.script)];
      const go = latin1(goCode(machine, state.exports));
      return `${go}${prepareCode(prepare)}${startCode(command, options, script)}`;
    },
  };
}

const maxDiscarded = 16;

function prepareCode(lines: readonly string[]): string {
  return `prepare() {\n:\n${lines.join("\n")}\n}\n`;
}

/**
 * Defines `go`: replaces the shell with a program that has exactly these variables. The shell sets and unsets them
 * itself if possible, because `env` starts another program.
 */
function goCode({ env, inherited }: RemoteMachine, exports: ReadonlyMap<string, string>): string {
  const words = [...exports].map(([name, value]) => quoteForShell(`${name}=${value}`)).join(" ");
  if (![...exports.keys()].every((name) => isPlain(name)))
    return `go() { exec ${quoteForShell(env)} -i ${words} "$@"; }\n`;
  const dropped = inherited.filter((name) => !exports.has(name));
  return [
    "go() {",
    ...(dropped.length > 0 ? [`unset ${dropped.join(" ")}`] : []),
    ...(words === "" ? [] : [`export ${words}`]),
    `while :; do case $1 in *=*) export "$1"; shift;; *) break;; esac; done`,
    'exec "$@"',
    "}\n",
  ].join("\n");
}

/** A name without special meaning in any shell. */
function isPlain(name: string): boolean {
  return /^[A-Za-z_]\w*$/u.test(name) && !meaningful.test(name);
}

const meaningful =
  /^(?:IFS|OPTIND|OPTARG|PPID|UID|EUID|GROUPS|LINENO|RANDOM|SECONDS|DIRSTACK|FUNCNAME|PIPESTATUS|POSIXLY_CORRECT|ENV|PS[0-9]|MAIL\w*|HIST\w*|SHELLOPTS|BASH.*|ZSH.*|KSH.*|v_|H)$/u;

/** Code that writes a file atomically. `bytes` holds one byte per character. */
function writing(path: string, bytes: string): string {
  const file = quoteForShell(latin1(path));
  return `(umask 077; printf %s ${quoteForShell(bytes)} >${file}.$$ && mv -f ${file}.$$ ${file})`;
}

function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}
