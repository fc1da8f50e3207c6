import { randomHex, sha256 } from "../../base/digest.ts";
import { quoteForShell } from "../../base/text/shell-quote.ts";
import { childVariables } from "../child-environment.ts";
import { type CarriedState, parseCarriedState } from "../shell/carried-state.ts";
import { shellArguments } from "../shell/dialect.ts";
import type { Link } from "./link.ts";
import type { OpenedMachine, RemoteMachine } from "./open-machine.ts";
import { runScript } from "./run-script.ts";

/** The shell of one environment: what its next command starts with, and the words that start one over there. */
export interface BackendShell {
  readonly machine: RemoteMachine;
  readonly state: CarriedState;
  /** The checksum of the latest state that a command left. */
  readonly checksum: string;
  adopt(state: CarriedState): void;
  /** What a command left: the saved text, or undefined when it is the latest one again. */
  read(dump: string | undefined, checksum: string): CarriedState | undefined;
  /** The shell code that starts the command over there. */
  start(command: string, options: RemoteShellStart): StartCode;
  /** Code that needs no file of the environment: it defines `start`, and `prepare`, which writes what is missing to `scriptAt`. */
  standalone(command: string, options: RemoteShellStart & { readonly scriptAt: string }): string;
  /** It was found missing over there: it is sent again with the next command. */
  forgetSent(): void;
  /** Nobody needs this file over there any more. */
  discard(path: string): void;
  /** Files that the next run removes at its end: now and then all of them, since it takes a program. */
  takeDiscarded(): readonly string[];
  /** Removes its files over there. */
  clear(link: Link, signal: AbortSignal): Promise<void>;
}

export interface RemoteShellStart {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly saveTo: string;
  /** It stays in the session that it is started in, and has that one's terminal. */
  readonly isTerminal?: boolean;
}

export interface StartCode {
  /** A file over there that defines `go`, which puts a program with the carried variables in its own place. */
  readonly variables: string;
  /** Defines `prepare`, which makes that file and others where they are missing, and `start`. One byte to a character. */
  readonly code: string;
  /** The carried variables are in the code. */
  readonly hasVariables: boolean;
  /** To be called once `prepare` has run: the next command need not bring the files again. */
  readonly arrived: () => void;
}

export interface RemoteShellDeps {
  /** Given to every command. */
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
      // A bash that finds SSH_CLIENT and no number here reads .bashrc first.
      ...Object.entries({ SHLVL: "1", ...extras, PWD: cwd }).map(([key, value]) => quoteForShell(`${key}=${value}`)),
      'HERMES_RUN="$H"',
      ...(machine.setsid === undefined || isTerminal === true ? [] : [quoteForShell(machine.setsid)]),
      quoteForShell(machine.shell),
      ...shellArguments(machine.dialect, command, wrapping).map(quoteForShell),
    ];
    return latin1(`start() { go ${words.join(" ")} 2>&1; }\n`);
  }

  return {
    machine,
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
 * Defines `go`: puts a program in place of the shell, with these variables and no others. The shell itself sets and drops
 * them where it can; `env` costs one program more.
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

/** A name that any shell takes without a meaning of its own. */
function isPlain(name: string): boolean {
  return /^[A-Za-z_]\w*$/u.test(name) && !meaningful.test(name);
}

const meaningful =
  /^(?:IFS|OPTIND|OPTARG|PPID|UID|EUID|GROUPS|LINENO|RANDOM|SECONDS|DIRSTACK|FUNCNAME|PIPESTATUS|POSIXLY_CORRECT|ENV|PS[0-9]|MAIL\w*|HIST\w*|SHELLOPTS|BASH.*|ZSH.*|KSH.*|v_|H)$/u;

/** `bytes`: one to a character. Whoever reads the file sees all of it or none. */
function writing(path: string, bytes: string): string {
  const file = quoteForShell(latin1(path));
  return `(umask 077; printf %s ${quoteForShell(bytes)} >${file}.$$ && mv -f ${file}.$$ ${file})`;
}

function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}
