import { linkAbort } from "../../../base/async/abort.ts";
import type { Clock } from "../../../base/clock.ts";
import type { JsonObject } from "../../../base/json.ts";
import { cut } from "../../../base/text/text.ts";
import type { Environment } from "../../../contracts/environment/environment.ts";
import { decode } from "../file-content.ts";
import { type Linter, linterFor, nodeVariable } from "./linters.ts";

/** The text of one file before and after a change. */
export interface LintedText {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string;
}

/** An error that the change introduced. Lines and columns start at 1. */
export type LintError = JsonObject & { readonly path: string; readonly line: number; readonly message: string };

/**
 * Returns the errors that are new in the texts, reported by the linters of the environment. Limited in time and size;
 * empty without a linter. Never fails.
 */
export async function lintDelta(
  texts: readonly LintedText[],
  { environment, clock, signal }: { environment: Environment; clock: Clock; signal: AbortSignal },
): Promise<readonly LintError[]> {
  using link = linkAbort(signal);
  using _timer = clock.after(maxMs, () => link.abort(new Error("linting took too long")));
  const result: LintError[] = [];
  for (const { path, before, after } of texts.slice(0, maxFiles)) {
    const linter = linterFor(path);
    if (!linter || after.length > maxChars || linter.takes?.(after) === false) continue;
    const now = await errorsIn(after, linter, environment, link.signal);
    if (now.length === 0) continue;
    // Errors are compared by message, because an earlier error may now be on another line.
    const earlier = new Map<string, number>();
    if (before !== undefined && before.length <= maxChars)
      for (const { message } of await errorsIn(before, linter, environment, link.signal))
        earlier.set(keyOf(message), (earlier.get(keyOf(message)) ?? 0) + 1);
    // Without the errors before the change, the new ones cannot be determined.
    if (link.signal.aborted) break;
    for (const error of now) {
      const times = earlier.get(keyOf(error.message)) ?? 0;
      if (times > 0) earlier.set(keyOf(error.message), times - 1);
      else result.push({ path, ...error, found_by: linter.name });
    }
  }
  return result.slice(0, maxErrors);
}

interface Complaint {
  readonly line: number;
  readonly column?: number;
  readonly message: string;
}

async function errorsIn(
  text: string,
  linter: Linter,
  environment: Environment,
  signal: AbortSignal,
): Promise<readonly Complaint[]> {
  if (signal.aborted) return [];
  // The linter runs outside the file's folder, so that no configuration there applies. The signal stops it before its
  // timeout.
  const options = {
    signal,
    timeoutMs: 60_000,
    cwd: "/",
    carry: false,
    env: environment.kind === "local" ? { ...quietEnvironment, ...ownNode } : quietEnvironment,
    stdin: Buffer.from(text),
  };
  // The change is already written; a failure here must not hide that.
  const ran = await environment.exec(linter.command, options).catch(() => undefined);
  if (!ran?.ok || ran.value.ended !== "exit") return [];
  const output = decode(Buffer.concat([ran.value.head, ran.value.tail]));
  return [...output.matchAll(linter.pattern)].slice(0, maxErrors).map(({ groups = {} }) => ({
    line: Number(groups["line"]),
    ...(groups["column"] !== undefined && { column: Number(groups["column"]) }),
    message: cut(groups["message"] ?? "", maxMessageChars),
  }));
}

/** Removes line numbers from messages, so that they can be compared. */
function keyOf(message: string): string {
  return message.replace(/\d+/gu, "#");
}

const quietEnvironment: Readonly<Record<string, string>> = { NODE_OPTIONS: "", RUBYOPT: "", LC_ALL: "C.UTF-8" };
/** On this machine, the Node that runs Hermes supports TypeScript. */
const ownNode: Readonly<Record<string, string>> = { [nodeVariable]: process.execPath };
const maxMs = 5_000;
const maxFiles = 20;
const maxChars = 500_000;
const maxErrors = 10;
const maxMessageChars = 300;
