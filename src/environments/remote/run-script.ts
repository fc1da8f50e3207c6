import { randomHex } from "../../base/digest.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { EnvironmentError } from "../../contracts/environment/environment.ts";
import type { Link, LinkFault } from "./link.ts";
import { afterMark } from "./marked-output.ts";

export interface ScriptOptions {
  readonly signal: AbortSignal;
  readonly stdin?: Uint8Array;
}

export interface ScriptEnd {
  readonly exitCode: number;
  /** Standard output of the script only, without the output of the backend's start-up files. */
  readonly out: Buffer;
  /** Standard error, for messages. */
  readonly errorText: string;
}

/** Runs a short script to its end and returns its output. */
export async function runScript(
  link: Link,
  script: string,
  { signal, stdin }: ScriptOptions,
): Promise<Result<ScriptEnd, LinkFault>> {
  const mark = randomHex(8);
  const chunks: Buffer[] = [];
  const errorChunks: Buffer[] = [];
  const output = afterMark(mark, (chunk) => {
    chunks.push(Buffer.from(chunk));
    return true;
  });
  const end = await link.run(`printf '%s\\n' ${mark}\n${script}`, {
    signal,
    ...(stdin && { stdin }),
    onOutput: output.add,
    resume: () => Promise.resolve(),
    onControl: (chunk) => void errorChunks.push(Buffer.from(chunk)),
  });
  if (end.how !== "exit") return err(end);
  const text = Buffer.concat(errorChunks).toString().trim();
  if (!output.isPast()) return err(notStarted(link.kind, end.exitCode, text));
  return ok({ exitCode: end.exitCode, out: Buffer.concat(chunks), errorText: text });
}

export function notStarted(kind: string, exitCode: number, stderr: string): LinkFault {
  const why = stderr === "" ? "" : `: ${stderr.slice(-500)}`;
  return {
    how: "broken",
    message: `the ${kind} backend did not run a shell script (exit code ${exitCode})${why}`,
    hint: "It needs /bin/sh and a login shell that runs commands.",
  };
}

export function environmentError(fault: LinkFault): EnvironmentError {
  if (fault.how === "aborted") return { kind: "unreachable", message: "interrupted" };
  const { message, hint } = fault;
  return {
    kind: fault.how === "misconfigured" ? "misconfigured" : "unreachable",
    message,
    ...(hint !== undefined && { hint }),
  };
}
