import type { Clock } from "../../base/clock.ts";
import { randomHex } from "../../base/digest.ts";
import type { Variables } from "../../base/process/run-program.ts";
import { streamProgram } from "../../base/process/run-program.ts";
import type { LinkFault, LinkStreams } from "../remote/link.ts";
import { createEarlyWords } from "./early-words.ts";
import { scriptByInput } from "./script-by-input.ts";

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
