import { sleep } from "../../../base/async/abort.ts";
import { systemClock } from "../../../base/clock.ts";
import type { ContentPart } from "../../../contracts/model/message.ts";
import { type CliContext, CommandFailed } from "../command.ts";
import { readStdin } from "../stdin-text.ts";
import type { ChatRequest } from "./chat-request.ts";

/**
 * The prompt, piped input and images. Without a prompt, or with `-`, the piped input is the prompt. Undefined for a
 * chat without a terminal and without input. Exits with an error if a required prompt is missing.
 */
export async function promptContent(
  request: ChatRequest,
  ctx: CliContext,
): Promise<readonly ContentPart[] | undefined> {
  const given = request.prompt === "-" ? undefined : request.prompt;
  const images = await readImages(request, ctx);
  if (given === undefined) {
    if (request.prompt === undefined && ctx.io.stdinIsTerminal)
      throw new CommandFailed("The prompt is missing.", 'For example: hermes -z "say hi" --json', 2);
    const piped = await readStdin(ctx.io, maxPipedBytes, ctx.signal);
    if (piped.trim() === "" && isTyped(request) && !ctx.json) return undefined;
    if (piped.trim() === "")
      throw new CommandFailed("The prompt is empty.", 'For example: hermes -z "say hi", or hermes at a terminal.', 2);
    return [{ type: "text", text: piped }, ...images];
  }
  const piped = ctx.io.stdinIsTerminal ? "" : await readPiped(ctx);
  const context: readonly ContentPart[] =
    piped.trim() === "" ? [] : [{ type: "text", text: `\n\nFrom standard input:\n\n${piped}` }];
  return [{ type: "text", text: given }, ...context, ...images];
}

/** Whether the user starts a conversation and not a single prompt. */
function isTyped({ prompt, usageFile }: ChatRequest): boolean {
  return prompt === undefined && usageFile === undefined;
}

/** Reads the images as models take them. Ends the command if one cannot be read. */
export function readImages({ images }: ChatRequest, ctx: Pick<CliContext, "run">): Promise<readonly ContentPart[]> {
  return Promise.all(
    images.map(async (path) => {
      const { content } = await ctx.run("images.read", { path });
      return content;
    }),
  );
}

const maxPipedBytes = 8_000_000;
/** Time limit for piped input, because some programs leave the input of their children open and never write to it. */
const firstByteMs = 3_000;

async function readPiped({ io, signal }: CliContext): Promise<string> {
  const typing = io.stdin[Symbol.asyncIterator]();
  const first = typing.next();
  using waiting = new DisposableStack();
  const stop = new AbortController();
  waiting.defer(() => stop.abort());
  const tooLong = sleep(firstByteMs, AbortSignal.any([signal, stop.signal]), systemClock).then(
    () => "late" as const,
    () => "late" as const,
  );
  const came = await Promise.race([first, tooLong]);
  if (came === "late") {
    if (!signal.aborted)
      io.warn("hermes: no data on standard input for 3 s: continuing without it (-z - waits for it)\n");
    return "";
  }
  if (came.done) return "";
  const rest = (async function* () {
    yield came.value;
    for (let next = await typing.next(); !next.done; next = await typing.next()) yield next.value;
  })();
  return readStdin({ ...io, stdin: rest }, maxPipedBytes, signal);
}
