import type { Clock } from "../../base/clock.ts";
import { randomHex } from "../../base/digest.ts";
import { type Variables, streamProgram } from "../../base/process/run-program.ts";
import type { LinkFault, LinkStreams } from "../remote/link.ts";

/** A program such as `docker exec`, which runs a shell in a container. */
export interface Client {
  readonly program: string;
  readonly env: Variables;
  /** Arguments that make the program run `sh -c code` in the container with the client's standard input. */
  readonly args: (code: string) => readonly string[];
}

export type ClientScriptEnd =
  /** The exit code of the script, or of a client whose container exited. -1: the client was killed. */
  | { readonly how: "begun"; readonly code: number }
  /** The script did not start. The client's standard error has the reason. */
  | { readonly how: "unbegun"; readonly code: number; readonly stderr: string }
  | LinkFault;

/** Runs a script once in a container through a client. Never rejects. */
export async function runByClient(
  { program, env, args }: Client,
  script: string,
  streams: LinkStreams,
  clock: Clock,
): Promise<ClientScriptEnd> {
  const mark = randomHex(8);
  const sent = scriptByInput(script, mark, streams.stdin);
  const words = createEarlyWords(mark, streams);
  const late = new AbortController();
  // The time limit detects an engine that hangs: it accepts the client but never responds.
  using _timer = clock.after(beginMs, () => void (words.hasBegun() || late.abort()));
  const end = await streamProgram({
    program,
    args: args(sent.reader),
    env,
    signal: AbortSignal.any([streams.signal, late.signal]),
    stdin: sent.input,
    ...(streams.holdsInput && { holdsInput: true }),
    onOutput: words.onOutput,
    resume: streams.resume,
    onErrorOutput: words.onControl,
  });
  switch (end.how) {
    case "aborted":
      return streams.signal.aborted ? end : { how: "broken", message: `${program} ${tooLate}`, hint: tooLateHint };
    case "unstarted":
      return { how: "broken", message: `${program} could not be started: ${end.message}` };
    default: {
      const code = end.how === "exit" ? end.code : -1;
      return words.hasBegun() ? { how: "begun", code } : { how: "unbegun", code, stderr: words.said() };
    }
  }
}

const beginMs = 120_000;
const tooLate = `accepted the command but did not start it within ${beginMs / 1_000} seconds`;
const tooLateHint = "Check whether its service is overloaded or hangs, restart it, then try again.";

/**
 * Splits the client's standard error at the script's mark: text before it is the client's error, text after it belongs
 * to the script and is passed on.
 */
interface EarlyWords extends Pick<LinkStreams, "onOutput" | "onControl"> {
  hasBegun(): boolean;
  said(): string;
}

function createEarlyWords(mark: string, streams: Pick<LinkStreams, "onOutput" | "onControl">): EarlyWords {
  const line = Buffer.from(`${mark}\n`);
  let hasBegun = false;
  let control = Buffer.alloc(0);
  /** The two streams are not synchronized: output may arrive before the mark. */
  let output = Buffer.alloc(0);

  function begin(): boolean {
    hasBegun = true;
    const early = output;
    output = Buffer.alloc(0);
    return early.length === 0 || streams.onOutput(early);
  }

  return {
    hasBegun: () => hasBegun,
    said: () => Buffer.concat([control, output]).toString(),
    onOutput(chunk) {
      if (hasBegun) return streams.onOutput(chunk);
      output = Buffer.concat([output, chunk]);
      return output.length < maxEarlyBytes || begin();
    },
    onControl(chunk) {
      if (hasBegun && control.length === 0) return streams.onControl(chunk);
      control = Buffer.concat([control, chunk]).subarray(-maxEarlyBytes);
      const index = control.indexOf(line);
      if (index < 0) return;
      const rest = control.subarray(index + line.length);
      control = Buffer.alloc(0);
      begin();
      if (rest.length > 0) streams.onControl(rest);
    },
  };
}

/** Limit of the text before the mark, larger than any client prints. */
const maxEarlyBytes = 1024 * 1024;

/**
 * Passes a script on standard input, before the script's own input. So the script can have any length, and its text,
 * such as values of variables, is not visible in the process list of this machine.
 */
interface SentScript {
  /**
   * Shell code that reads the script, prints `mark` on standard error, and runs it. A truncated script does not run.
   */
  readonly reader: string;
  readonly input: Uint8Array;
}

export function scriptByInput(script: string, mark: string, stdin: Uint8Array = new Uint8Array()): SentScript {
  const bytes = Buffer.from(`${script}\n#${mark}`);
  const reader = [
    `__hermes=$(dd bs=${bytes.length} count=1 iflag=fullblock 2>/dev/null)`,
    `case $__hermes in *"#${mark}") ;; *) echo "the script did not arrive (dd iflag=fullblock)" >&2; exit 1;; esac`,
    `printf '%s\\n' ${mark} >&2; eval "$__hermes"`,
  ].join("\n");
  return { reader, input: stdin.length === 0 ? bytes : Buffer.concat([bytes, stdin]) };
}
