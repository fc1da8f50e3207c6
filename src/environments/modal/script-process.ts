import type { ContainerProcess, ModalReadStream, ModalWriteStream } from "modal";

import { abortable } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { linkFaultOf } from "../hosted/service-fault.ts";
import { waitForRest } from "../output/rest-of-output.ts";
import type { LinkEnd, LinkStreams } from "../remote/link.ts";
import type { ExitMark } from "./exit-mark.ts";
import { modalFault } from "./modal-fault.ts";

/** Feeds a script in a sandbox and passes on its output until it ends. Never rejects. */
export async function followScript(
  { stdin, stdout, stderr }: ContainerProcess<Uint8Array>,
  mark: ExitMark,
  streams: LinkStreams,
  clock: Clock,
): Promise<LinkEnd> {
  const { signal } = streams;
  void feed(stdin, streams.stdin ?? new Uint8Array(), signal);
  const exited = Promise.withResolvers<void>();
  let outputBytes = 0;
  let isPaused = false;
  const output = reading(stdout, async (chunk) => {
    outputBytes += chunk.length;
    isPaused = !streams.onOutput(chunk);
    if (isPaused) await streams.resume();
    isPaused = false;
  });
  const control = reading(stderr, async (chunk) => {
    mark.add(chunk);
    if (mark.exitCode() !== undefined) exited.resolve();
  });
  const all = Promise.all([output.ended, control.ended]);
  try {
    await abortable(Promise.race([all, exited.promise]), signal);
    // Does not wait for other processes that keep the script's output open.
    const arrivals = { bytes: () => outputBytes, isPaused: () => isPaused };
    await waitForRest(all, arrivals, { signal, clock, quietMs: drainMs, maxRounds: maxDrainRounds });
  } catch (thrown) {
    if (!signal.aborted) return linkFaultOf(modalFault(thrown));
  } finally {
    output.stop();
    control.stop();
  }
  if (signal.aborted) return { how: "aborted" };
  const exitCode = mark.exitCode();
  return exitCode === undefined ? cutOff : { how: "exit", exitCode };
}

/** Input that the script does not read is discarded when it ends. */
async function feed(stdin: ModalWriteStream<Uint8Array>, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  const writer = stdin.getWriter();
  try {
    for (let index = 0; index < bytes.length && !signal.aborted; index += pieceBytes) {
      await writer.write(bytes.subarray(index, index + pieceBytes));
    }
    await writer.close();
  } catch {
    // The script or the sandbox has ended: its output shows which.
  }
}

function reading(stream: ModalReadStream<Uint8Array>, take: (chunk: Uint8Array) => Promise<void>) {
  const reader = stream.getReader();
  async function readAll(): Promise<void> {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      await take(value);
    }
  }
  const ended = readAll();
  // A waiting caller gets the rejection; without a caller it is ignored.
  ended.catch(() => undefined);
  return { ended, stop: () => void reader.cancel().catch(() => undefined) };
}

const cutOff: LinkEnd = {
  how: "broken",
  message: "the sandbox ended before the script did",
  hint: "Modal ends a sandbox after its timeout or when it needs the machine. The next command starts a new one.",
};
const pieceBytes = 1024 * 1024;
const drainMs = 5_000;
const maxDrainRounds = 60;
