import type { Clock } from "../../base/clock.ts";
import { randomHex } from "../../base/digest.ts";
import { type Variables, streamProgram } from "../../base/process/run-program.ts";
import type { LinkFault, LinkStreams } from "../remote/link.ts";

/** A program such as `docker exec`, which runs a shell in a container. */
export interface Client {
  readonly program: string;
  readonly env: Variables;
  /** Of the program, to run `sh -c code` there with the client's own standard input. */
  readonly args: (code: string) => readonly string[];
}

export type ClientScriptEnd =
  /** The exit code is the script's or that of a client whose container went away; -1: the client was killed. */
  | { readonly how: "begun"; readonly code: number }
  /** Nothing of the script was run. `said`: by the client, which tells why. */
  | { readonly how: "unbegun"; readonly code: number; readonly said: string }
  | LinkFault;

/** Has a client run a script in a container, once. Never rejects. */
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
  // An engine that hangs takes a client and never answers it.
  using _timer = clock.after(beginMs, () => void (words.hasBegun() || late.abort()));
  const end = await streamProgram({
    program,
    args: args(sent.reader),
    env,
    signal: AbortSignal.any([streams.signal, late.signal]),
    stdin: sent.input,
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
      return words.hasBegun() ? { how: "begun", code } : { how: "unbegun", code, said: words.said() };
    }
  }
}

const beginMs = 120_000;
const tooLate = `took the command and did not begin it within ${beginMs / 1_000} seconds`;
const tooLateHint = "Look whether its service is overloaded or hangs, restart it, then try again.";

/**
 * What a client prints before the script's mark is its own, to tell why nothing began; what comes after belongs to the
 * script and is handed on.
 */
interface EarlyWords extends Pick<LinkStreams, "onOutput" | "onControl"> {
  hasBegun(): boolean;
  said(): string;
}

function createEarlyWords(mark: string, streams: Pick<LinkStreams, "onOutput" | "onControl">): EarlyWords {
  const line = Buffer.from(`${mark}\n`);
  let hasBegun = false;
  let control = Buffer.alloc(0);
  /** The two streams are not in step: output may be here before the mark is. */
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

/** More than any client says about itself. */
const maxEarlyBytes = 1024 * 1024;

/**
 * A script handed over on standard input, in front of the input that it is to have: it may be of any length, and what is in
 * it, such as values of variables, does not show in the list of this machine's processes.
 */
interface SentScript {
  /** Shell code that reads the script, says `mark` on standard error, and runs it. Of half a script nothing is run. */
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
