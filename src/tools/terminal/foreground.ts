import type { JsonObject } from "../../base/json.ts";
import { showOutput } from "../../base/text/shown-output.ts";
import type {
  CommandDefaults,
  Environment,
  EnvironmentError,
  ExecResult,
  SandboxLimits,
} from "../../contracts/environment/environment.ts";
import { defaultPtySize } from "../../contracts/environment/process-output.ts";
import type { SudoUse } from "../../contracts/safety/command-analysis.ts";
import { fail, json, type ToolResult } from "../../contracts/tool/tool-result.ts";
import type { CallContext } from "../../contracts/tool/tool.ts";
import { exitCodeOf, exitMeaning, hintFrom } from "./exit-meaning.ts";
import { hidePassword, isSudoFailure, type SudoLine, withSudo } from "./sudo.ts";

export interface ForegroundCommand {
  readonly command: string;
  readonly timeoutMs: number;
  readonly cwd?: string;
  readonly pty: boolean;
  readonly outside: boolean;
  readonly sudo: readonly SudoUse[];
  readonly changesOnly?: readonly string[];
  /** The given arguments that only have an effect in the background. */
  readonly ignored: readonly string[];
}

/** The longest timeout that a caller may request; the setting may allow more. */
export const maxSeconds = 600;

export async function runForeground(
  wish: ForegroundCommand,
  environment: Environment,
  defaults: CommandDefaults,
  { signal, printed }: Pick<CallContext, "signal" | "printed">,
): Promise<ToolResult> {
  const sudo = await withSudo(wish.command, wish.sudo, defaults, signal);
  if (!sudo.ok) return fail(sudo.error, "blocked");
  const { password } = sudo.value;
  const ran = await environment.exec(sudo.value.command, {
    signal,
    timeoutMs: wish.timeoutMs,
    // A terminal could echo the password.
    ...(password === undefined && { onOutput: printed }),
    ...(wish.cwd !== undefined && { cwd: wish.cwd }),
    ...(wish.pty && { pty: defaultPtySize }),
    ...(password !== undefined && { sudoPassword: password }),
    ...(wish.changesOnly && { changesOnly: wish.changesOnly }),
  });
  if (!ran.ok) return notRun(ran.error, environment.kind);
  const data = resultData(wish, ran.value, sudo.value);
  if (data["sudo_auth_failed"] === true && password !== undefined) defaults.forgetSudoPassword();
  if (ran.value.ended !== "lost") return json(data);
  const content = [{ type: "text", text: JSON.stringify(data) }] as const;
  return fail(`${lostWords(ran.value)} Look at what it did before you run it again.`, "failed", {
    effect: "unknown",
    data,
    content,
  });
}

/** Short fields come first, because they are kept when a long result is truncated. */
function resultData(wish: ForegroundCommand, ran: ExecResult, sudo: SudoLine): JsonObject {
  const { command, timeoutMs } = wish;
  const { text: shown, cut } = showOutput(ran, wish.pty ? defaultPtySize : undefined);
  const text = hidePassword(shown, sudo.password);
  const exitCode = exitCodeOf(ran);
  const error = errorOf(ran, timeoutMs);
  const meaning = error === null ? exitMeaning(command, exitCode, text) : undefined;
  const sudoFailed = sudo.usesSudo && exitCode !== 0 && isSudoFailure(text);
  const { confined } = ran;
  const failed = ran.ended === "exit" && exitCode !== 0;
  const confinedHint = failed && confined ? sandboxHint(text, confined) : undefined;
  const hint = [
    wish.outside && confined && !confined.changesOnly ? stayedInside : undefined,
    confinedHint,
    sudoFailed && confinedHint === undefined ? sudoHint(sudo) : undefined,
    ran.ended === "timeout" ? (looksLikeServer(command) ? serverHint : timeoutHint) : undefined,
    failed && !sudoFailed && confinedHint === undefined ? hintFrom(text) : undefined,
    ran.leftRunning.length > 0 ? leftHint : undefined,
    ran.lostOutput === undefined ? undefined : `The end of the output is missing: ${ran.lostOutput}.`,
    wish.ignored.length > 0 ? `Only with background: true: ${wish.ignored.join(", ")}.` : undefined,
  ].filter((each) => each !== undefined);
  return {
    exit_code: exitCode,
    error,
    ...(ran.ended === "timeout" && { timed_out: true }),
    ...(meaning !== undefined && { exit_code_meaning: meaning }),
    ...(sudoFailed && { sudo_auth_failed: true }),
    ...(hint.length > 0 && { hint: hint.join(" ") }),
    ...(ran.leftRunning.length > 0 && {
      left_running: ran.leftRunning.map((left) => hidePassword(left, sudo.password)),
    }),
    cwd: ran.cwd,
    backend: ran.backend,
    ...(confined && !confined.changesOnly && { sandbox: true }),
    duration_ms: Math.round(ran.durationMs),
    waited_ms: Math.round(ran.waitedMs),
    ...(cut && {
      output_total_bytes: ran.totalBytes,
      ...(cut.path !== undefined && { full_output_path: cut.path }),
      truncation_note: cut.note,
    }),
    output: withEnding(text, ran, timeoutMs),
  };
}

const timeoutHint =
  `Give a longer timeout (at most ${maxSeconds} s), or run it with background: true and notify_on_complete: true. ` +
  "A command that waits for input never exits: use background and pty, and type with process.";
const serverHint =
  "The command looks like a server that never exits: start it with background: true and check it with process poll.";
const leftHint =
  "Hermes kills processes that a foreground command leaves running. To keep one running, start it alone (without &, nohup, setsid) with " +
  "background: true.";

function sudoHint({ password, without }: SudoLine): string {
  return password === undefined
    ? `sudo needs a password and there is none: ${without ?? "set SUDO_PASSWORD"}. The user can also configure sudo to need none.`
    : "sudo rejected the password. Hermes asks for it again next time.";
}

function errorOf(ran: ExecResult, timeoutMs: number): string | null {
  if (ran.ended === "timeout")
    return `timed out after ${timeoutMs / 1000} s; Hermes killed the command and its child processes`;
  if (ran.ended === "aborted") return "interrupted; Hermes killed the command and its child processes";
  return ran.ended === "lost" ? lostWords(ran) : null;
}

function lostWords({ backend, fault }: ExecResult): string {
  return `The backend ${backend} disconnected while the command ran. The command may or may not have finished${
    fault === undefined ? "" : `: ${fault}`
  }${fault?.endsWith(".") ? "" : "."}`;
}

function withEnding(text: string, { ended }: ExecResult, timeoutMs: number): string {
  const message =
    ended === "timeout"
      ? `[Command timed out after ${timeoutMs / 1000}s]`
      : ended === "aborted"
        ? "[Command interrupted]"
        : undefined;
  if (message === undefined) return text;
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${message}`;
}

export function notRun({ kind, message, hint }: EnvironmentError, backend: string): ToolResult {
  const messages = `The command was not run (${backend}): ${message}.${hint === undefined ? "" : ` ${hint}`}`;
  return fail(messages, kind === "refused" ? "invalid_args" : "unavailable", { data: { backend, reason: kind } });
}

/** Returns advice if the output shows that a command failed because of the sandbox. */
export function sandboxHint(
  output: string,
  { hidden, hasNetwork, changesOnly, refusal }: SandboxLimits,
): string | undefined {
  const start = output.slice(0, searchedChars);
  if (changesOnly)
    return changesNothingElse.test(start) ? `It could only change ${changesOnly.join(", ")}.` : undefined;
  const unseen = hidden.find((path) => start.includes(path));
  const why = unseen === undefined ? signs.find(([sign]) => sign.test(start))?.[1] : `where ${unseen} cannot be seen`;
  if (why !== undefined) return hintText(why);
  if (refusal !== undefined && refusals[refusal].test(start))
    return hintText(`${readOnly}; "${refusal}" may come from it`);
  return !hasNetwork && noNetwork.test(start) ? hintText("which has no network") : undefined;
}

/** The advice for a command that should have run outside the sandbox but did not, in a mode without approvals. */
const stayedInside = "It ran in the sandbox: no person allowed it to leave.";

const searchedChars = 100_000;

function hintText(why: string): string {
  return `It ran in the sandbox, ${why}. If the command needs this, call it again with outside: true; this requires approval by the user.`;
}

const changesNothingElse = /Read-only file system|resource busy|^bwrap: /iu;
const readOnly = "where only the workspace, temporary folders and caches of package managers can be written";
const refusals = {
  "Permission denied": /Permission denied|\bEACCES\b|\(os error 13\)/iu,
  "Operation not permitted": /Operation not permitted|\bEPERM\b|\(os error 1\)/iu,
};
const keys = "where keys and agents cannot be seen";

const signs: readonly (readonly [sign: RegExp, why: string])[] = [
  [/^bwrap: /u, "which could not be set up"],
  [/Read-only file system|\bEROFS\b|\(os error 30\)/iu, readOnly],
  [/no new privileges/iu, "where sudo and other programs that change the user do not work"],
  [
    /Cannot connect to the Docker daemon|docker\.sock|podman\.sock/iu,
    "where the daemons of containers cannot be reached",
  ],
  [
    /Failed to connect to (?:the )?(?:system |user |session )?bus|system_bus_socket/iu,
    "where the system's bus cannot be reached",
  ],
  [
    /Host key verification failed|Permission denied \(publickey|Could not open a connection to your authentication agent/iu,
    keys,
  ],
  [
    /gpg: (?:no default secret key|signing failed|.*No secret key)|Unable to locate credentials|No valid credential|could not read (?:Username|Password)|gh auth login/iu,
    keys,
  ],
  [/cannot open display|Can't open display|Failed to connect to (?:the )?(?:wayland|X) /iu, "which has no display"],
];

const noNetwork =
  /Could not resolve|name resolution|Network is unreachable|ENETUNREACH|ENOTFOUND|EAI_AGAIN|Connection refused|ECONNREFUSED|Failed to connect|unable to access/iu;

/**
 * Returns whether the command looks like a server that runs until it is stopped. Used only for advice, never for a
 * decision.
 */
export function looksLikeServer(command: string): boolean {
  const beginning = command.slice(0, maxChars);
  return servers.some((server) => server.test(beginning));
}

const maxChars = 2_000;

const start = String.raw`(?:^|[;&|(]|\b(?:npx|bunx|pnpx|uv run|poetry run|env|exec|sudo))\s*(?:\w+=\S*\s+)*(?:\S*/)?`;
const servers: readonly RegExp[] = [
  String.raw`(?:npm|pnpm|yarn|bun|deno)\s+(?:task\s+|run\s+)?(?:dev|start|serve|watch|preview)\b`,
  String.raw`(?:next|astro|nuxt|gatsby|remix|wrangler)\s+dev\b`,
  String.raw`vite(?!\s+(?:build|--version|--help))\b`,
  String.raw`(?:nodemon|uvicorn|gunicorn|hypercorn|daphne|http-server|live-server|json-server|caddy\s+run|nginx|redis-server)\b`,
  String.raw`python[\d.]*\s+-m\s+http\.server\b`,
  String.raw`python[\d.]*\s+(?:\S+/)?manage\.py\s+runserver\b`,
  String.raw`(?:flask|streamlit|fastapi)\s+(?:run|dev)\b`,
  String.raw`rails\s+s(?:erver)?\b`,
  String.raw`(?:hugo|jekyll|mkdocs|ng|webpack)\s+(?:serve|server)\b`,
  String.raw`php\s+(?:-S\b|artisan\s+serve)`,
  String.raw`docker(?:-|\s+)compose\s+(?:-\S+\s+\S+\s+)*up\b(?!.*\s(?:-d|--detach)\b)`,
  String.raw`tail\s(?:[^;|&]*\s)?-[a-zA-Z]*[fF]\b`,
  String.raw`watch\s`,
]
  .map((pattern) => new RegExp(start + pattern, "mu"))
  .concat(/\s--watch(?:=|\s|$)/u);
